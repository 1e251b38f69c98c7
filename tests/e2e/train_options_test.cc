// Options of training that contradict each other, have no effect, or leave data out: training says
// so before it starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class TrainOptions : public Train {
 protected:
  // The number before `text`, without commas; 0 if there is none.
  static int number_before(const std::string& text, const std::string& output) {
    std::smatch found;
    if (!std::regex_search(output, found, std::regex("([0-9,]+) +" + text))) return 0;
    std::string digits = found[1];
    std::erase(digits, ',');
    return std::stoi(digits);
  }

  // Whole command with `--prepared` in place of the text.
  std::vector<std::string> on_prepared(const std::string& run_name, const std::string& data,
                                       const std::vector<std::string>& more) const {
    auto arguments = command(run_name, more);
    drop(arguments, "--train-sets");
    drop(arguments, "--vocab-size");
    arguments.insert(arguments.end(), {"--prepared", path(data)});
    return arguments;
  }
};

TEST_F(TrainOptions, PairsThatAreTooLongAreCountedOnceAndLeftOutOfTheDryRunToo) {
  ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"),
                         corpus("train.en"), "--vocab-size", "700", "--output", path("data")})
                .exit_code,
            0);
  const std::string sentence = "of 400 pairs longer than 12 pieces \\(--max-length\\)\n";
  const auto of_text = command("run", {"--max-length", "12", "--after", "5u"});
  const auto of_data = on_prepared("other", "data", {"--max-length", "12", "--after", "5u"});
  for (auto arguments : {of_text, of_data}) {
    const auto trained = run("eatt", arguments);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const int left_out = number_before(sentence, trained.err);
    EXPECT_GT(left_out, 0) << trained.err;
    EXPECT_EQ(number_before("pairs, 1 thread", trained.err), 400 - left_out);
    drop(arguments, "--model");  // Otherwise the data of the run would be counted.
    arguments.emplace_back("--dry-run");
    const auto dry = run("eatt", arguments);
    ASSERT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_EQ(number_before("longer than 12 pieces \\(--max-length\\)\n", dry.out), left_out)
        << dry.out;
    EXPECT_EQ(number_before("[0-9.]+ source and [0-9.]+ target pieces on average\n", dry.out),
              400 - left_out)
        << dry.out;
  }
  for (auto arguments : {command("none", {"--max-length", "2"}),
                         on_prepared("none", "data", {"--max-length", "2"})}) {
    for (const bool dry : {false, true}) {
      if (dry) arguments.emplace_back("--dry-run");
      EXPECT_THAT(run("eatt", arguments).err,
                  ContainsRegex("all 400 pairs are longer than 2 pieces.*; raise --max-length\n"));
    }
  }
}

}  // namespace
}  // namespace eatt::testing
