#include "energy/chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/files.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

// A file with everything in it; tests replace one part of it at a time.
constexpr std::string_view kJson = R"({
  "format_version": 1,
  "name": "mine",
  "title": "my own",
  "source": "measured",
  "operations": {"add": {"int8": 0.5, "fp32": 2}, "mul": {"fp32": 3}},
  "left_out": {"exp": "too rare", "add/int16": "not built", "mul/int8": "not built"},
  "memory": [{"name": "near", "bytes": 100, "picojoules_per_byte": 1},
             {"name": "middle", "bytes": 200, "picojoules_per_byte": 10},
             {"name": "far", "picojoules_per_byte": 0.25}],
  "notes": {"add": "by a ripple", "mul/fp32": "a guess", "memory": "of 2020"}
})";

std::string replaced(std::string_view what, std::string_view by) {
  std::string json(kJson);
  const size_t at = json.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return json.replace(at, what.size(), by);
}

std::string error_of(const std::string& json) {
  try {
    parse_chip(json, "chips/mine.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChipFile, SaysWhatHasAPriceAndWhatIsLeftOut) {
  const Chip chip = parse_chip(kJson, "mine.json");
  EXPECT_EQ(chip.name, "mine");
  EXPECT_EQ(chip.title, "my own");
  EXPECT_EQ(chip.source, "measured");
  EXPECT_EQ(chip.price(Operation::add, Number::int8), 0.5);
  EXPECT_EQ(chip.price(Operation::mul, Number::fp32), 3);
  EXPECT_EQ(chip.price(Operation::add, Number::int16), std::nullopt);
  EXPECT_TRUE(chip.leaves_out(Operation::add, Number::int16));
  EXPECT_FALSE(chip.leaves_out(Operation::add, Number::int32)) << "nothing is said of it";
  EXPECT_FALSE(chip.leaves_out(Operation::add, Number::int8));
  for (const Number number : kNumbers) EXPECT_TRUE(chip.leaves_out(Operation::exp, number));
  EXPECT_EQ(chip.left_out.at("mul/int8"), "not built");
  EXPECT_EQ(chip.notes.at("mul/fp32"), "a guess");
  EXPECT_FALSE(chip.leaves_out_memory());
  EXPECT_THAT(chip.memories, ElementsAre(Memory{"near", 100, 1}, Memory{"middle", 200, 10},
                                         Memory{"far", std::nullopt, 0.25}));
  EXPECT_EQ(chip.json, kJson);
}

TEST(ChipFile, NeedsNeitherMemoryNorRemarks) {
  const Chip chip = parse_chip(
      R"({"format_version": 1, "name": "a", "title": "b", "source": "c", "operations": {}})", "f");
  EXPECT_TRUE(chip.memories.empty());
  EXPECT_FALSE(chip.leaves_out_memory());
}

TEST(ChipFile, MistakesAreOneSentenceThatNamesFileAndKey) {
  struct Case {
    std::string what, by, sentence;
  };
  const std::vector<Case> cases = {
      {R"("name": "mine")", R"("name": "")", R"(name: found "", expected 1 to 40 letters)"},
      {R"("name": "mine")", R"("name": "a/b")", R"(name: found "a/b")"},
      {R"("name": "mine")", R"("name": "b.json")", R"(name: found "b.json")"},
      {R"("name": "mine",)", "", "name: is missing"},
      {R"("title": "my own",)", "", "title: is missing"},
      {R"("title": "my own")", R"("title": " ")", "title: found \" \", expected a text"},
      {R"("title": "my own")", R"("title": "a\u001b[2Jb")", "title: found \"a\\x1b"},
      {R"("title": "my own")", R"("title": "\u00a0")", "title: found"},
      {R"("title": "my own")", R"("title": "a\u202eb")", R"(title: found "a\xe2\x80\xaeb")"},
      {R"("title": "my own")", R"("title": "a\u200bb")", R"(title: found "a\xe2\x80\x8bb")"},
      {R"("name": "far")", R"("name": "f\u2066ar")", "memory[2].name: found"},
      {R"("source": "measured",)", "", "source: is missing"},
      {R"("format_version": 1,)", "", "format_version: is missing"},
      {R"("format_version": 1)", R"("format_version": 2)", "format_version: found 2, expected 1"},
      {R"("notes": {)", R"("note": {)", "note: is a key that this version does not know"},
      {R"("mul": {)", R"("multiply": {)", "operations.multiply: is a key"},
      {R"("int8": 0.5)", R"("int4": 0.5)", "operations.add.int4: is a key"},
      {R"("int8": 0.5)", R"("fp32": 0.5)", "gives 'fp32' twice"},
      {R"("int8": 0.5)", R"("int8": -0.5)", "operations.add.int8: found -0.5, expected picojoules"},
      {R"("int8": 0.5)", R"("int8": 1e13)", "operations.add.int8: found 1"},
      {R"("int8": 0.5)", R"("int8": 1e999)", "operations.add.int8: is a number that is too large"},
      {R"("int8": 0.5)", R"("int8": NaN)", "is not valid JSON at line 6"},
      {R"("int8": 0.5)", R"("int8": "0.5")", "operations.add.int8: found \"0.5\""},
      {R"("int8": 0.5)", R"("int8": null)", "operations.add.int8: found null"},
      {R"("exp": "too rare")", R"("exp": "")", "left_out.exp: found \"\""},
      {R"("exp": "too rare")", R"("exp": 1)", "left_out.exp: found 1, expected a text"},
      {R"("exp": )", R"("log": )", "left_out.log: speaks of something unknown, expected memory"},
      {R"("exp": )", R"("exp/int4": )", "left_out.'exp/int4': speaks of something unknown"},
      {R"("exp": )", R"("exp/": )", "left_out.'exp/': speaks of something unknown"},
      {R"("exp": )", R"("mul": )", "left_out.mul: is left out but has a price too"},
      {R"("exp": )", R"("add/int8": )", "left_out.'add/int8': is left out but has a price too"},
      {R"("exp": )", R"("memory": )", "left_out.memory: is left out but has a price too"},
      {R"("exp": "too rare")", R"("exp": "rare", "exp/fp32": "rare")",
       "left_out.'exp/fp32': is left out twice, by exp too"},
      {R"("add": "by)", R"("exp": "by)", "notes.exp: is a note on something without a price"},
      {R"("bytes": 200)", R"("bytes": 100)",
       "memory[1].bytes: found 100, expected a memory larger"},
      {R"("bytes": 100, )", "", "memory[0]: has no bytes, expected its size"},
      {R"("bytes": 100)", R"("bytes": 0)", "memory[0].bytes: found 0"},
      {R"("bytes": 100)", R"("bytes": 99.5)", "memory[0].bytes: found 99.5"},
      {R"("far", )", R"("far", "bytes": 400, )", "memory[2].bytes: found 400, expected no bytes"},
      {R"("name": "far")", R"("name": "near")", "memory[2].name: found \"near\", expected a name"},
      {R"("far", )", R"("far", "speed": 1, )", "memory[2].speed: is a key"},
      {R"(0.25}])", R"(-0.25}])", "memory[2].picojoules_per_byte: found -0.25"},
      {R"("far", "picojoules_per_byte": 0.25)", R"("far")",
       "memory[2].picojoules_per_byte: is missing"},
  };
  for (const auto& [what, by, sentence] : cases) {
    EXPECT_THAT(error_of(replaced(what, by)),
                AllOf(StartsWith("chips/mine.json: "), HasSubstr(sentence),
                      HasSubstr("eatt energy chips --json"), Not(HasSubstr("\n"))));
  }
}

TEST(ChipFile, AZeroHasNoSign) {
  const Chip chip = parse_chip(replaced(R"("int8": 0.5)", R"("int8": -0.0)"), "mine.json");
  EXPECT_FALSE(std::signbit(chip.price(Operation::add, Number::int8).value()));
}

TEST(ChipFile, AnEmptyListOfMemoriesIsNoWayToLeaveThemOut) {
  std::string json(kJson);
  const size_t begin = json.find("[{"), end = json.find(']');
  json.replace(begin, end - begin, "[");
  EXPECT_THAT(error_of(json), HasSubstr("memory: found an array of length 0"));
}

TEST(ChipFile, OtherThanAnObjectIsAnError) {
  for (const char* json : {"", "[]", "7", "{", "{}"}) {
    EXPECT_THAT(error_of(json), StartsWith("chips/mine.json: ")) << json;
  }
}

TEST(BuiltInChips, AreTheFilesOfTheSource) {
  std::vector<std::string> names;
  for (const Chip& chip : built_in_chips()) {
    names.push_back(chip.name);
    EXPECT_EQ(chip.json, eatt::testing::read_text(eatt::testing::repository_file(
                             "src/energy/chips/" + chip.name + ".json")));
  }
  EXPECT_THAT(names, ElementsAre("asic", "fpga", "cmos45"));
}

TEST(BuiltInChips, ThePapersPriceFloatingAdditionsAndMultiplicationsOnly) {
  for (const Chip& chip : paper_chips()) {
    for (const Operation operation : kOperations) {
      const bool priced = operation == Operation::add || operation == Operation::mul;
      for (const Number number : kNumbers) {
        EXPECT_EQ(chip.price(operation, number).has_value(), priced && number == Number::fp32);
        EXPECT_EQ(chip.leaves_out(operation, number), !priced);
      }
    }
    EXPECT_TRUE(chip.leaves_out_memory());
    EXPECT_THAT(chip.left_out.at("shift"), HasSubstr("a conversion"));
  }
}

TEST(BuiltInChips, Cmos45HasTheFiguresOfItsSourcesAndTheirDoubts) {
  const Chip chip = find_chip("cmos45");
  const auto prices = [&](Operation operation) {
    return chip.picojoules[static_cast<size_t>(operation)];
  };
  EXPECT_THAT(prices(Operation::add), ElementsAre(0.03, 0.05, 0.1, 0.4, 0.9));
  EXPECT_THAT(prices(Operation::mul), ElementsAre(0.2, 1.0, 3.1, 1.1, 3.7));
  EXPECT_EQ(prices(Operation::compare), prices(Operation::add));
  EXPECT_THAT(chip.memories, ElementsAre(Memory{"SRAM 8 KB", 8 << 10, 10.0 / 8},
                                         Memory{"SRAM 32 KB", 32 << 10, 20.0 / 8},
                                         Memory{"SRAM 1 MB", 1 << 20, 100.0 / 8},
                                         Memory{"DRAM", std::nullopt, 640.0 / 4}));
  for (const Operation operation : {Operation::exp, Operation::div, Operation::shift}) {
    EXPECT_TRUE(chip.leaves_out(operation, Number::fp32));
  }
  EXPECT_THAT(chip.notes.at("mul/int16"), HasSubstr("an estimate"));
  EXPECT_THAT(chip.source, AllOf(HasSubstr("Horowitz"), HasSubstr("CS149")));
  EXPECT_THAT(chip.notes.at("memory"),
              AllOf(HasSubstr("not confirmed"), HasSubstr("162 to 325 pJ/byte")));
  EXPECT_THAT(chip.notes.at("compare"), HasSubstr("subtraction whose sign is read"));
}

TEST(FindChip, TakesANameOrAFile) {
  const eatt::testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.json", kJson).string();
  EXPECT_EQ(find_chip("fpga").name, "fpga");
  EXPECT_EQ(find_chip(file).name, "mine");
  EXPECT_EQ(find_chip(folder.write("without-ending", kJson).string()).name, "mine");
}

TEST(FindChip, AFileWithTheNameOfABuiltInChipIsToldToChangeIt) {
  const eatt::testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.json", find_chip("cmos45").json).string();
  EXPECT_THAT([&] { find_chip(file); },
              ThrowsMessage<Error>(AllOf(StartsWith(file + ": name: found \"cmos45\""),
                                         HasSubstr("change \"name\""))));
}

TEST(FindChips, FindsThemInOrder) {
  const eatt::testing::TemporaryFolder folder;
  const std::string file = folder.write("mine.json", kJson).string();
  const std::vector<Chip> chips = find_chips({"fpga", file, "asic"});
  ASSERT_EQ(chips.size(), 3u);
  EXPECT_EQ(chips[0].name, "fpga");
  EXPECT_EQ(chips[1].name, "mine");
  EXPECT_EQ(chips[2].name, "asic");
  EXPECT_TRUE(find_chips({}).empty());
}

TEST(FindChips, TwoOfOneNameAreWrongUsage) {
  const eatt::testing::TemporaryFolder folder;
  const std::string a = folder.write("a.json", kJson).string();
  const std::string b = folder.write("b.json", kJson).string();
  EXPECT_THAT(
      [&] {
        find_chips({a, "asic", b});
      },
      ThrowsMessage<UsageError>(
          AllOf(HasSubstr("a.json"), HasSubstr("b.json"), HasSubstr("both named mine"))));
  EXPECT_THAT(
      [] {
        find_chips({"asic", "asic"});
      },
      ThrowsMessage<UsageError>(HasSubstr("both named asic")));
}

TEST(FindChip, AnUnknownNameListsTheKnownOnes) {
  try {
    find_chip("tpu");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'tpu'"), HasSubstr("asic, fpga, cmos45"), HasSubstr(".json")));
  }
}

TEST(FindChip, AMissingFileIsNamed) {
  try {
    find_chip("nowhere.json");
    FAIL();
  } catch (const UsageError&) {
    FAIL() << "the file is missing, the usage is right";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("nowhere.json: cannot be read"));
  }
}

TEST(Chip, ClosedFormsNeedPricesOfFloatingNumbers) {
  const Chip whole = parse_chip(
      R"({"format_version": 1, "name": "whole", "title": "b", "source": "c",
          "operations": {"add": {"int8": 1}}})",
      "f");
  try {
    picojoules(whole, {.additions = 1, .multiplications = 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("chip whole has no price for add/fp32"));
  }
}

}  // namespace
}  // namespace eatt::energy
