// Runs that are continued, exported or averaged although something is missing, moved or damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TrainContinue : public Train {
 protected:
  // The last line has `reason` in it.
  static void expect_refused(const std::vector<std::string>& arguments, int code,
                             const std::string& reason) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    const auto lines = split_lines(result.err);
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines.back(), HasSubstr(reason));
  }

  void train(const std::string& run_name, const std::vector<std::string>& more = {}) const {
    const auto result = run("eatt", command(run_name, more));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  // `eatt train --model RUN` and more.
  std::vector<std::string> again(const std::string& run_name,
                                 std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"train", "--model", path(run_name), "--cpu-threads", "1"});
    return more;
  }
};

TEST_F(TrainContinue, ExportAndAverageBeforeTheFirstValidationSayWhenThereWillBeAModel) {
  // Stopped after its first progress, long before the validation.
  const auto stopped = shell(
      shell_command("run", {"--after", "100000u", "--valid-freq", "90000u", "--disp-freq", "2u"}) +
      " & pid=$!; " + wait_for_progress("run") + "kill $pid; wait $pid");
  ASSERT_EQ(stopped.exit_code, 143) << stopped.err;
  for (const char* name : {"export", "average"}) {
    const auto result = run("eatt", {name, path("run"), "--output", path("out")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr(path("run") + ": has no model yet: the first validation is at "
                                              "update 90000, and it has done "),
                      HasSubstr("; `eatt train --model " + path("run") + "` continues\n")));
    EXPECT_FALSE(fs::exists(path("out")));
  }
}

TEST_F(TrainContinue, AFolderWithoutARunIsCalledThatAndANearNameSuggested) {
  train("en-de", {"--after", "5u"});
  expect_refused(again("en-ed"), 2,
                 "--model " + path("en-ed") +
                     " does not exist, so there is no run to continue (did you mean " +
                     path("en-de") +
                     "?); to start a new one, add --train-sets SRC TGT or --prepared DIR");
  expect_refused(again("something/else"), 2,
                 "else does not exist, so there is no run to continue;");
  fs::create_directories(path("empty"));
  expect_refused(again("empty"), 2, path("empty") + " has no run.json, so there is no run");
  expect_refused(again("en-de/best"), 2, "did you mean " + path("en-de") + "?");
}

TEST_F(TrainContinue, TheFileThatIsMissingIsNamedAndTheSameFolderIsNotSuggested) {
  train("run", {"--after", "5u"});
  fs::remove(path("run/training.toml"));
  const auto refused = run("eatt", again("run"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--model " + path("run") +
                                           " has no training.toml, so there is no run to continue"),
                                 Not(HasSubstr("did you mean"))));
}

TEST_F(TrainContinue, AScheduleOverTheWholeTrainingKeepsItsLength) {
  train("teacher", {"--after", "5u"});
  const std::vector<std::vector<std::string>> schedules = {
      {"--soft-codes", "0.5"},
      {"--freeze-codes", "0.5"},
      {"--lr-schedule", "linear"},
      {"--distill-maps", "1", "--teacher", path("teacher/best")}};
  for (const auto& schedule : schedules) {
    fs::remove_all(path("run"));
    std::vector<std::string> options = {"--after", "10u"};
    options.insert(options.end(), schedule.begin(), schedule.end());
    const auto trained = run("eatt", command("run", options));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_THAT(trained.err, AllOf(HasSubstr("to train longer, start a new run: a larger --after "
                                             "and another --model ("),
                                   Not(HasSubstr("to train longer: "))));
    expect_refused(again("run", {"--after", "20u"}), 2,
                   path("run") + " was started with " + schedule[0] + " " + schedule[1] +
                       " and --after 10u and cannot continue with 20u; give the old value, or "
                       "start a new run with another --model");
    const auto averaged =
        run("eatt", {"average", path("run"), "--last", "8", "--output", path("mean")});
    EXPECT_THAT(averaged.err, HasSubstr("; a new run keeps more with --keep-last 8"));
    EXPECT_EQ(run("eatt", again("run", {"--after", "10u"})).exit_code, 0);
  }
}

TEST_F(TrainContinue, SoftCodesOfARecipeDoNotBindAModelWithoutCodes) {
  folder_.write(
      "soft.toml",
      run("eatt", {"train", "--recipe", "tiny", "--soft-codes", "0.5", "--dump-config"}).out);
  train("run", {"--recipe", path("soft.toml"), "--attention", "vanilla", "--after", "5u"});
  const auto longer = run("eatt", again("run", {"--after", "10u"}));
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
}

TEST_F(TrainContinue, AnOtherValueThatARecipeSetsIsCalledThat) {
  train("run", {"--attention", "vanilla", "--after", "5u"});
  const auto sentence = [&](const std::string& now) {
    return path("run") + " was started with --attention vanilla and cannot continue with " + now +
           "; give the old value, or start a new run with another --model";
  };
  expect_refused({"train", "--recipe", "tiny", "--train-sets", corpus("train.zh"),
                  corpus("train.en"), "--model", path("run")},
                 2, sentence("eatt, which --recipe tiny sets"));
  expect_refused({"train", "--recipe", "tiny", "--attention", "l1", "--model", path("run")}, 2,
                 sentence("l1"));
}

TEST_F(TrainContinue, TextThatWasMovedIsNamedAndItsNewPlaceCanBeGiven) {
  train("run", {"--after", "10u"});
  fs::rename(path("corpus"), path("moved"));
  const std::string zh = path("moved/train.zh"), en = path("moved/train.en");
  expect_refused(again("run", {"--after", "20u"}), 1,
                 corpus("train.zh") + ": no such file or folder, and " + path("run") +
                     " was started with it; put it back, or say where it is now: `eatt train "
                     "--model " +
                     path("run") + " --train-sets SRC TGT`");
  expect_refused(again("run", {"--after", "20u", "--train-sets", zh, en}), 1,
                 "--valid-sets SRC TGT`");
  const auto continued =
      run("eatt", again("run", {"--after", "20u", "--train-sets", zh, en, "--valid-sets",
                                path("moved/dev.zh"), path("moved/dev.en")}));
  EXPECT_EQ(continued.exit_code, 0) << continued.err;
  EXPECT_THAT(continued.err, AllOf(HasSubstr("resuming from update 10"), Not(HasSubstr("recipe"))));
  EXPECT_EQ(run("eatt", again("run", {"--after", "25u"})).exit_code, 0) << "the new place is kept";
}

TEST_F(TrainContinue, OptionsThatAreNotGivenAreThoseOfTheRun) {
  train("run", {"--after", "10u"});
  train("whole", {"--after", "20u"});
  const auto continued =
      run("eatt",
          again("run", {"--after", "20u", "--train-sets", corpus("train.zh"), corpus("train.en")}));
  EXPECT_EQ(continued.exit_code, 0) << continued.err;
  EXPECT_THAT(
      continued.err,
      AllOf(HasSubstr(path("run") + ": continuing with the options that this run was started with"),
            HasSubstr("resuming from update 10"), Not(HasSubstr("base size"))));
  const auto weights = [&](const std::string& name) {
    return read_text(folder_ / name / "checkpoints" / "step-00000020" / "weights.safetensors");
  };
  EXPECT_EQ(weights("run"), weights("whole"));
}

TEST_F(TrainContinue, TextThatWasChangedIsNamed) {
  train("run", {"--after", "10u"});
  const auto sentence = [&](const std::string& option) {
    return ": differs from the " + option + " that " + path("run") +
           " was started with; give the original, or start a new run with another --model";
  };
  const std::string dev = read_text(corpus("dev.en"));
  folder_.write("corpus/dev.en", "another line" + dev.substr(dev.find('\n')));
  expect_refused(again("run", {"--after", "20u"}), 2, corpus("dev.en") + sentence("--valid-sets"));
  folder_.write("corpus/dev.en", dev);
  const std::string text = read_text(corpus("train.en"));
  folder_.write("corpus/train.en", "another line" + text.substr(text.find('\n')));
  expect_refused(again("run", {"--after", "20u"}), 2,
                 corpus("train.en") + sentence("--train-sets"));
}

TEST_F(TrainContinue, ADamagedFileOfACheckpointComesWithTheSameAdvice) {
  train("run", {"--after", "10u"});
  const fs::path newest = folder_ / "run" / "checkpoints" / "step-00000010";
  for (const char* file : {"optimizer.safetensors", "weights.safetensors", "state.json"}) {
    const std::string before = read_text(newest / file);
    for (const std::string& damaged : {before.substr(0, before.size() / 2), std::string()}) {
      folder_.write((fs::path("run/checkpoints/step-00000010") / file).string(), damaged);
      expect_refused(
          again("run", {"--after", "20u"}), 1,
          "remove the folder " + newest.string() + " to continue from the checkpoint before it");
    }
    folder_.write((fs::path("run/checkpoints/step-00000010") / file).string(), before);
  }
  fs::remove_all(newest);
  const auto continued = run("eatt", again("run", {"--after", "20u"}));
  EXPECT_EQ(continued.exit_code, 0) << continued.err;
  EXPECT_THAT(continued.err, HasSubstr("resuming from update 5"));
}

TEST_F(TrainContinue, AnInt8ModelToStartFromIsAnsweredWithTheFloatModelItWasMadeFrom) {
  train("run", {"--after", "5u"});
  ASSERT_EQ(run("eatt", {"quantize", path("run/best"), path("int8")}).exit_code, 0);
  for (const char* option : {"--init-from", "--teacher"}) {
    const auto refused = run("eatt", command("next", {option, path("int8")}));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(split_lines(refused.err), SizeIs(1));
    EXPECT_THAT(refused.err, HasSubstr(path("int8") +
                                       ": is an int8 bundle; this command needs the float32 one it "
                                       "was made from, " +
                                       path("run/best") + "\n"));
    EXPECT_FALSE(fs::exists(path("next")));
  }
  const auto started = run("eatt", command("next", {"--init-from", path("run/best")}));
  EXPECT_EQ(started.exit_code, 0) << started.err;
  fs::rename(path("run"), path("gone"));
  expect_refused(command("third", {"--init-from", path("int8")}), 1,
                 "made from, such as RUN/best of the training run");
}

}  // namespace
}  // namespace eatt::testing
