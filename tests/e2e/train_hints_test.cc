// Slips in training, and in what is done with a trained model: each is answered with what to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TrainHints : public Train {
 protected:
  // One sentence with `reason` in it.
  static void expect_refused(const std::vector<std::string>& arguments, int code,
                             const std::string& reason) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }
};

TEST_F(TrainHints, SwappedLanguagesAreRefusedByEveryCommandThatKnowsThem) {
  const std::string zh = corpus("dev.zh"), en = corpus("dev.en");
  const auto swapped = [&](const std::string& option, const std::string& who) {
    return option + " " + en + " " + zh + " are swapped: " + who +
           " translates from zh to en; use " + option + " " + zh + " " + en + "\n";
  };
  expect_refused(command("run", {"--valid-sets", en, zh}), 2, swapped("--valid-sets", "this run"));
  expect_refused(command("run", {"--train-sets", en, zh, "--source-language", "zh",
                                 "--target-language", "en"}),
                 2, swapped("--train-sets", "this run"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));

  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const std::string model = path("run/best");
  expect_refused({"validate", model, "--valid-sets", en, zh}, 2,
                 swapped("--valid-sets", "the model"));
  expect_refused({"align", model, "--sets", en, zh}, 2, swapped("--sets", "the model"));
  expect_refused({"align", model, "--sets", zh, en, "--choose-on", en, zh, corpus("dev.align")}, 2,
                 "--choose-on " + en + " " + zh + " are swapped");
  expect_refused({"shortlist", model, "--train-sets", en, zh, "--output", path("list")}, 2,
                 swapped("--train-sets", "the model"));
  auto back = command("back", {"--train-sets", en, zh, "--init-from", model});
  drop(back, "--valid-sets");
  expect_refused(back, 2,
                 "--init-from " + model +
                     " translates from zh to en, but this run from "
                     "en to zh");
}

TEST_F(TrainHints, OneFileForBothLanguagesIsRefusedAndAnotherLanguageWarnedAbout) {
  const std::string zh = corpus("dev.zh"), en = corpus("dev.en");
  expect_refused(command("run", {"--train-sets", en, en}), 2,
                 "--train-sets has " + en + " as its source and as its target");
  expect_refused(command("run", {"--valid-sets", zh, zh}), 2,
                 "--valid-sets has " + zh + " as its source and as its target");
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  folder_.write("dev.de", read_text(en));
  const auto other =
      run("eatt", {"validate", path("run/best"), "--valid-sets", zh, path("dev.de")});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("--valid-sets " + path("dev.de") +
                                   ": the ending says de, but the model translates to en\n"));
  const auto right = run("eatt", {"validate", path("run/best"), "--valid-sets", zh, en});
  EXPECT_EQ(right.err, "");
}

}  // namespace
}  // namespace eatt::testing
