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
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;

TEST(EnergyFormulas, PrintsEveryTableByDefault) {
  const auto result = run("eatt", {"energy", "formulas"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("PARTS"), HasSubstr("ALIGNMENT"), HasSubstr("ATTENTION"),
                                HasSubstr("BLOCK"), HasSubstr("ROLES"), HasSubstr("DISTILLATION")));
}

TEST(EnergyFormulas, TheDefaultIsThePapersShape) {
  const auto given = run("eatt", {"energy", "formulas", "--length", "22", "--width", "512"});
  EXPECT_EQ(given.exit_code, 0);
  EXPECT_EQ(given.out, run("eatt", {"energy", "formulas"}).out);
  EXPECT_EQ(given.out,
            run("eatt", {"energy", "formulas", "--attention-width", "512", "--table", "all"}).out);
}

TEST(EnergyFormulas, PrintsOneJsonObject) {
  const auto result =
      run("eatt", {"energy", "formulas", "--length", "22", "--width", "512", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_NEAR(json["alignment"]["eatt"]["asic"]["computed"], 0.4489151217890098, 1e-15);
  EXPECT_EQ(json["alignment"]["eatt"]["asic"]["printed"], nlohmann::json::parse("[0.44, 0.45]"));
  EXPECT_NEAR(json["block"]["eatt"]["fpga"]["computed"], 83.104, 5e-4);
}

TEST(EnergyFormulas, OptionsReachTheForms) {
  const auto result = run("eatt", {"energy", "formulas", "--length", "30", "--width", "256",
                                   "--attention-width", "64", "--density", "0.5", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["operations"]["paper"]["alignment"]["vanilla"]["additions"],
            2 * 30 * 256 * 64 + 30 * 30 * 64);
  EXPECT_EQ(json["operations"]["exact"]["alignment"]["eatt"]["additions"],
            30 * 256 * 64 + 2 * 30 * 30 * 64);
  EXPECT_EQ(json["alignment"]["vanilla"]["asic"]["computed"], 25);
}

TEST(EnergyFormulas, WrongUsageIsOneSentenceAndExitCodeTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--length", "0"}, "length 0: expected an integer from 1 to 1,000,000"},
      {{"--length", "-22"}, "length -22"},
      {{"--length", "22.5"}, "--length"},
      {{"--width", "many"}, "--width"},
      {{"--width", "1000001"}, "width 1000001"},
      {{"--length", "99999999999999999999"}, "expected an integer"},
      {{"--attention-width", "0"}, "attention width 0"},
      {{"--density", "17"}, "density 17: expected a share of ones from 0 to 1"},
      {{"--density", "-0.1"}, "density -0.1"},
      {{"--density", "nan"}, "--density is 'nan'; expected a number"},
      {{"--table", "alignments"}, "--table is 'alignments'; expected parts, alignment"},
      {{"--table", "block", "--json"}, "leave out --table"},
  };
  for (const auto& [options, sentence] : cases) {
    std::vector<std::string> arguments = {"energy", "formulas"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST(EnergyFormulas, HelpIsShortAndHasAnExample) {
  const auto result = run("eatt", {"energy", "formulas", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("--attention-width"), HasSubstr("Example:")));
  EXPECT_LE(split_lines(result.out).size(), 25u);
}

TEST(EnergyFormulas, TheDocumentShowsItsRealOutput) {
  // A block of docs/energy.md: a line "$ eatt …", then what it prints.
  const std::string document = testing::read_text(testing::repository_file("docs/energy.md"));
  const std::string begin = "```console\n$ eatt energy formulas --table alignment\n";
  const size_t start = document.find(begin);
  ASSERT_NE(start, std::string::npos);
  const size_t end = document.find("```\n", start + begin.size());
  EXPECT_EQ(document.substr(start + begin.size(), end - start - begin.size()),
            run("eatt", {"energy", "formulas", "--table", "alignment"}).out);
}

}  // namespace
}  // namespace eatt
