#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using testing::repository_file;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

TEST(EnergyChips, ListsTheBuiltInOnes) {
  const auto result = run("eatt", {"energy", "chips"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("asic"), HasSubstr("fpga"), HasSubstr("cmos45"),
                                HasSubstr("DRAM"), HasSubstr("compare")));
  for (const std::string& line : split_lines(result.out)) EXPECT_LE(line.size(), 100u) << line;
}

TEST(EnergyChips, JsonHasTheFilesOfAll) {
  const auto result = run("eatt", {"energy", "chips", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto chips = nlohmann::json::parse(result.out).at("chips");
  EXPECT_THAT(chips, SizeIs(3));
  EXPECT_EQ(chips["cmos45"],
            nlohmann::json::parse(read_text(repository_file("src/energy/chips/cmos45.json"))));
}

TEST(EnergyChips, OneIsShownInFull) {
  const auto result = run("eatt", {"energy", "chips", "asic"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("asic: ASIC of the paper"), HasSubstr("ShiftAddNet"),
                    HasSubstr("as in the paper"),
                    HasSubstr("a model that uses them gives an error"), HasSubstr("mul/int8")));
}

TEST(EnergyChips, ACopiedFileCanBeChangedAndIsChecked) {
  const auto original = run("eatt", {"energy", "chips", "--json", "cmos45"});
  EXPECT_EQ(original.exit_code, 0) << original.err;
  EXPECT_EQ(original.out, read_text(repository_file("src/energy/chips/cmos45.json")));
  const TemporaryFolder folder;
  auto chip = nlohmann::json::parse(original.out);
  chip["name"] = "mine";
  chip["operations"]["shift"]["fp32"] = 0.125;
  const auto clash = run("eatt", {"energy", "chips", folder.write("a.json", chip.dump()).string()});
  EXPECT_EQ(clash.exit_code, 1);
  EXPECT_THAT(clash.out, IsEmpty());
  EXPECT_THAT(split_lines(clash.err), SizeIs(1));
  EXPECT_THAT(clash.err, AllOf(HasSubstr("a.json: left_out.shift: is left out but has a price")));
  chip["left_out"].erase("shift");
  const auto good = run("eatt", {"energy", "chips", folder.write("b.json", chip.dump()).string()});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, AllOf(HasSubstr("mine: 45 nm"), HasSubstr("0.125"), HasSubstr("shift/int8"),
                              Not(HasSubstr("shift/fp32"))));
}

TEST(EnergyChips, AnUnknownNameIsWrongUsage) {
  const auto result = run("eatt", {"energy", "chips", "tpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("asic, fpga, cmos45"));
}

TEST(EnergyChips, HelpIsShortAndHasAnExample) {
  const auto result = run("eatt", {"energy", "chips", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("eatt energy chips --json cmos45 > mine.json"));
  EXPECT_LE(split_lines(result.out).size(), 25u);
}

TEST(EnergyChips, TheDocumentShowsItsRealOutput) {
  const std::string document = read_text(repository_file("docs/energy.md"));
  const std::string begin = "```console\n$ eatt energy chips\n";
  const size_t start = document.find(begin);
  ASSERT_NE(start, std::string::npos);
  const size_t end = document.find("```\n", start + begin.size());
  EXPECT_EQ(document.substr(start + begin.size(), end - start - begin.size()),
            run("eatt", {"energy", "chips"}).out);
}

}  // namespace
}  // namespace eatt
