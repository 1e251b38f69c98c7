// Guided alignment, and the curves of a training for TensorBoard, as a user asks for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TrainAlignment : public Train {
 protected:
  std::vector<std::string> guided(const std::string& run_name,
                                  std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--guided-alignment", corpus("train.align")});
    return command(run_name, std::move(more));
  }

  // The last line has `reason` in it, and no run has begun.
  void expect_refused(const std::vector<std::string>& arguments, int code,
                      const std::string& reason) const {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    const auto lines = split_lines(result.err);
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines.back(), HasSubstr(reason));
    EXPECT_FALSE(fs::exists(path("refused") + "/checkpoints"));
  }

  void train(const std::vector<std::string>& arguments) const {
    const auto result = run("eatt", arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  // The alignment error of a run's last model on the test set.
  double alignment_error(const std::string& run_name) const {
    const auto aligned =
        run("eatt", {"align", path(run_name) + "/last", "--sets", corpus("test.zh"),
                     corpus("test.en"), "--output", path(run_name + ".align")});
    EXPECT_EQ(aligned.exit_code, 0) << aligned.err;
    const auto scored = run("eatt", {"evaluate", "--alignment", path(run_name + ".align"),
                                     "--alignment-reference", corpus("test.align"), "--json"});
    EXPECT_EQ(scored.exit_code, 0) << scored.err;
    return find_number(nlohmann::json::parse(scored.out), "aer");
  }

  // The number of this name, wherever it stands.
  static double find_number(const nlohmann::json& report, const std::string& name) {
    const auto flat = report.flatten();
    for (const auto& [key, value] : flat.items()) {
      if (value.is_number() && key.find(name) != key.npos) return value.get<double>();
    }
    ADD_FAILURE() << "no " << name << " in " << report.dump();
    return 1;
  }

  std::vector<double> alignment_losses(const std::string& run_name) const {
    std::vector<double> losses;
    for (const std::string& line : split_lines(read_text(path(run_name) + "/log.jsonl"))) {
      const auto event = nlohmann::json::parse(line);
      if (event.contains("alignment_loss")) losses.push_back(event["alignment_loss"]);
    }
    return losses;
  }
};

TEST_F(TrainAlignment, GoldLinksLowerTheAlignmentErrorAndTheirLossFalls) {
  std::vector<std::string> longer = {
      "--after",      "400u",  "--valid-freq", "400u", "--disp-freq", "50u", "--save-freq", "0u",
      "--learn-rate", "0.003", "--model-dim",  "64",   "--dropout",   "0"};
  train(command("plain", longer));
  longer.insert(longer.end(), {"--guided-alignment-weight", "1"});
  train(guided("guided", longer));
  const auto losses = alignment_losses("guided");
  ASSERT_GE(losses.size(), 5u);
  EXPECT_LT(losses.back(), 0.75 * losses.front());
  EXPECT_TRUE(alignment_losses("plain").empty());
  EXPECT_LT(alignment_error("guided"), 0.7 * alignment_error("plain"));
}

TEST_F(TrainAlignment, AGuidedRunThatWasKilledContinuesToTheSameBits) {
  train(guided("whole"));
  const auto killed = shell(
      shell_command("run", {"--guided-alignment", corpus("train.align"), "--disp-freq", "1u"}) +
      " & pid=$!; " + wait_for_progress("run") + "kill -9 $pid; wait $pid");
  ASSERT_NE(killed.exit_code, 0);
  train({"train", "--model", path("run"), "--cpu-threads", "1"});  // It remembers its links.
  EXPECT_EQ(final_weights("run"), final_weights("whole"));
  EXPECT_THAT(read_text(path("run") + "/log.jsonl"), HasSubstr("\"resumed\""));
}

TEST_F(TrainAlignment, ADataSetThatWasPreparedWithLinksGivesTheSameBits) {
  train(guided("text"));
  const auto prepared =
      run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"), corpus("train.en"),
                   "--guided-alignment", corpus("train.align"), "--vocab-size", "700", "--output",
                   path("data")});
  ASSERT_EQ(prepared.exit_code, 0) << prepared.err;
  EXPECT_THAT(prepared.out, HasSubstr("between pieces"));
  train(command_on("data", "prepared"));
  EXPECT_EQ(final_weights("prepared"), final_weights("text"));
  train(command_on("data", "off", {"--guided-alignment-weight", "0"}));
  train(command("plain"));
  EXPECT_EQ(final_weights("off"), final_weights("plain"));
  EXPECT_NE(final_weights("off"), final_weights("text"));
}

TEST_F(TrainAlignment, SeveralPairsOfFilesBringAFileOfLinksEach) {
  auto arguments = guided("run");
  const auto add = [&](const std::string& option, const std::vector<std::string>& files) {
    const auto found = std::ranges::find(arguments, option);
    arguments.insert(found + 1, files.begin(), files.end());
  };
  add("--train-sets", {corpus("dev.zh"), corpus("dev.en")});
  expect_refused(arguments, 2, "--guided-alignment has 1 file for 2 pairs of text");
  add("--guided-alignment", {corpus("dev.align")});
  train(arguments);
}

TEST_F(TrainAlignment, WrongLinksAreRefusedByFileAndLine) {
  const auto with_links = [&](const std::string& text) {
    std::ofstream(path("bad.align")) << text;
    return command("refused", {"--guided-alignment", path("bad.align")});
  };
  const std::string links = read_text(corpus("train.align"));
  const std::string rest = links.substr(links.find('\n') + 1);
  expect_refused(with_links(rest), 1,
                 path("bad.align") + " has 399 lines and " + corpus("train.zh") + " has 400");
  expect_refused(with_links(links + "0-0\n"), 1,
                 path("bad.align") + " has 401 lines and " + corpus("train.zh") + " has 400");
  expect_refused(with_links("0-0 1:2\n" + rest), 1, path("bad.align") + ", line 1, column 6: ");
  expect_refused(with_links("0-0 99-0\n" + rest), 1,
                 path("bad.align") + ", line 1: the link 99-0 is outside of the sentences");
  expect_refused(command("refused", {"--guided-alignment", path("none")}), 1,
                 path("none") + ": no such file");
  expect_refused(command("refused", {"--guided-alignment-weight", "1"}), 2,
                 "--guided-alignment-weight has no effect without --guided-alignment FILE");
  expect_refused(guided("refused", {"--guided-alignment-layer", "2"}), 2,
                 "--guided-alignment-layer is 2, but the model has 1 decoder layer");
}

TEST_F(TrainAlignment, ARunDoesNotContinueWithOtherLinks) {
  train(guided("run", {"--after", "10u"}));
  expect_refused({"train", "--model", path("run"), "--guided-alignment", corpus("train.zh")}, 2,
                 corpus("train.zh") + ": differs from the --guided-alignment that " + path("run"));
}

TEST_F(TrainAlignment, TensorBoardFilesAppearWhereTheyAreWantedAndGoOnAfterAResume) {
  const auto events_in = [&](const std::string& folder) {
    std::string bytes;
    for (const auto& entry : fs::directory_iterator(path(folder))) bytes += read_text(entry.path());
    return bytes;
  };
  const auto count = [](const std::string& text, const std::string& word) {
    size_t found = 0;
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  train(command("run", {"--tensorboard", "--disp-freq", "10u", "--after", "30u"}));
  EXPECT_EQ(count(events_in("run/tensorboard"), "train/loss"), 3u);
  EXPECT_THAT(events_in("run/tensorboard"),
              AllOf(HasSubstr("train/gradient_norm"), HasSubstr("train/words_per_second"),
                    HasSubstr("train/learning_rate"), HasSubstr("density/encoder_self/1"),
                    HasSubstr("dev/cross_entropy"), HasSubstr("dev/bleu")));
  train({"train", "--model", path("run"), "--after", "60u", "--cpu-threads", "1"});
  EXPECT_EQ(count(events_in("run/tensorboard"), "train/loss"), 6u);
  train(
      command("other", {"--tensorboard", path("curves"), "--disp-freq", "10u", "--after", "20u"}));
  EXPECT_EQ(count(events_in("curves"), "train/loss"), 2u);
  EXPECT_FALSE(fs::exists(path("other") + "/tensorboard"));
}

TEST_F(TrainAlignment, TensorBoardItselfReadsTheFilesIfItIsInstalled) {
  if (shell("python3 -c 'import tensorboard'").exit_code != 0) {
    GTEST_SKIP() << "Python has no module tensorboard";
  }
  train(command("run", {"--tensorboard", "--disp-freq", "10u", "--after", "30u"}));
  const auto read = shell(
      "python3 -c \"from tensorboard.backend.event_processing.event_accumulator import "
      "EventAccumulator as A; a = A('" +
      path("run/tensorboard") +
      "'); a.Reload(); print([e.step for e in a.Scalars('train/loss')])\"");
  EXPECT_THAT(read.out, HasSubstr("[10, 20, 30]"));
}

}  // namespace
}  // namespace eatt::testing
