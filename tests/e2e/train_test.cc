// Training as a user starts it, and what may happen to it: killed, stopped, out of disk, started
// twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Train, KilledAtAnyMomentItEndsWithTheSameWeights) {
  const auto whole = run("eatt", command("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  std::mt19937 random(std::random_device{}());
  int killed = 0;
  for (int round = 0; round < 8; ++round) {
    // Early at first: a run that has finished cannot be killed any more.
    const int milliseconds = 150 + 150 * round + static_cast<int>(random() % 300);
    SCOPED_TRACE(milliseconds);
    killed += run_and_kill("eatt", command("parts"), milliseconds) ? 1 : 0;
  }
  const auto last = run("eatt", command("parts"));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_GT(killed, 0) << "the training is too quick for this test";
  EXPECT_EQ(final_weights("parts"), final_weights("whole"));
}

TEST_F(Train, SigtermSavesAndLeavesAndTheSameCommandGoesOn) {
  const auto whole = run("eatt", command("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  // Checkpoints are far apart, so what is saved is saved because of the signal.
  const std::vector<std::string> rare = {"--save-freq", "1000u"};
  const auto stopped = shell(shell_command("run", rare) + " & pid=$!; " + wait_for_progress("run") +
                             "kill -TERM $pid; wait $pid");
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGTERM after update"));
  EXPECT_THAT(stopped.err, HasSubstr("run the same command to continue"));
  const auto again = run("eatt", command("run", rare));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("resuming from update"));
  EXPECT_THAT(again.err, Not(HasSubstr("resuming from update 0,")));
  EXPECT_EQ(final_weights("run"), final_weights("whole"));
}

TEST_F(Train, ASecondTrainingInTheSameFolderIsRefused) {
  const auto both = shell(shell_command("run", {"--after", "100000u"}) + " 2>/dev/null & pid=$!; " +
                          wait_for_progress("run") + shell_command("run") +
                          "; code=$?; kill -KILL $pid; exit $code");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.err, HasSubstr("another process is training there"));
}

TEST_F(Train, AFullDiskLeavesTheCheckpointBeforeWhole) {
  const std::string mount = path("small");
  fs::create_directories(mount);
  // A file system of its own, inside a name space that ends with the shell. The run's data and a
  // few checkpoints fit, many do not.
  const auto result =
      shell("unshare -rm bash -c \"mount -t tmpfs -o size=3m tmpfs '" + mount + "' || exit 77; " +
            shell_command("small/run", {"--keep-last", "1000", "--after", "1000u"}) +
            "; echo train: \\$?; ls '" + mount + "/run/checkpoints'; cp -r '" + mount +
            "/run/checkpoints' '" + path("saved") + "'\" || exit 77");
  if (result.exit_code == 77) GTEST_SKIP() << "needs name spaces: " << result.err;
  EXPECT_THAT(result.out, HasSubstr("train: 1"));
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
  // The newest checkpoint that stands is whole: a run in another place goes on from it.
  fs::create_directories(folder_ / "moved");
  fs::rename(folder_ / "saved", folder_ / "moved" / "checkpoints");
  const auto again = run("eatt", command("moved", {"--after", "1000u"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("resuming from update"));
}

TEST_F(Train, ARateBeyondAllReasonEndsInOneClearSentence) {
  const auto result = run("eatt", command("run", {"--learn-rate", "1e30", "--lr-warmup", "0"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("skipped: the loss is"));
  EXPECT_THAT(result.err, HasSubstr("returning to update 0 with the learning rate times 0.5"));
  EXPECT_THAT(result.err, HasSubstr("gave up at update"));
}

TEST_F(Train, FilesThatDoNotMatchAreRefusedBeforeAnythingStarts) {
  folder_.write("short.en", "one line\n");
  auto result = run("eatt", command("run", {"--valid-sets", corpus("dev.zh"), path("short.en")}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("short.en"));
  result = run("eatt", command("run", {"--train-sets", corpus("train.zh"), corpus("dev.en")}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("400"));
  result = run("eatt", command("run", {"--train-sets", corpus("train.zh"), path("nowhere")}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("nowhere"));
  EXPECT_FALSE(fs::exists(folder_ / "run" / "training.toml"));
}

TEST_F(Train, ADryRunTellsAndStartsNothing) {
  const auto result = run("eatt", command("run", {"--dry-run"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"parameters", "memory", "disk", "pieces on average", "updates", "time",
                           "paper accounting", "exact accounting", "% of vanilla attention"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(Train, ADryRunAsJsonHasTheSameFigures) {
  const auto result = run("eatt", command("run", {"--dry-run", "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto found = nlohmann::json::parse(result.out);
  EXPECT_EQ(found["updates"], 60);
  const double weights = 4 * found["parameters"].get<double>();
  EXPECT_GT(found["memory_bytes"]["weights_and_optimizer"], 3 * weights);
  // Six checkpoints with two moments, two bundles and the data.
  EXPECT_GT(found["disk_bytes"], (6 * 3 + 2) * weights);
  EXPECT_GT(found["seconds"], 0);
  const auto alone = run("eatt", command("run", {"--json"}));
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--json has an effect on --dry-run only"));
}

TEST_F(Train, TheDumpedConfigurationIsARecipe) {
  const auto first = run("eatt", command("run", {"--dump-config", "--attention", "l1"}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("attention = \"l1\""));
  EXPECT_THAT(first.out, HasSubstr("after = \"60u\""));
  folder_.write("mine.toml", first.out);
  const auto second = run("eatt", {"train", "--recipe", path("mine.toml"), "--dump-config"});
  EXPECT_EQ(second.out, first.out);
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

// After `export run`, and `average run`, into bundles of their own.
void expect_models_to_stay(const std::string& run_folder, const std::string& exported,
                           const std::string& averaged) {
  const auto expect_refused = [](const std::string& command, const std::string& from,
                                 const std::string& to) {
    const std::string before = read_text(to + "/config.json");
    const auto result = run("eatt", {command, from, "--output", to});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(to + ": is a model that "));
    EXPECT_THAT(result.err, HasSubstr("choose another name, or add --overwrite"));
    EXPECT_EQ(read_text(to + "/config.json"), before);
  };
  expect_refused("export", run_folder, run_folder + "/best");
  expect_refused("average", run_folder, run_folder + "/last");
  expect_refused("average", run_folder, exported);
  expect_refused("export", run_folder, averaged);
  EXPECT_EQ(run("eatt", {"export", run_folder + "/", "--output", exported}).exit_code, 0);
  EXPECT_EQ(run("eatt", {"average", run_folder, "--last", "1", "--output", averaged}).exit_code, 0);
}

TEST_F(Train, FilesThatSomebodyPutIntoABundleStayWhenTrainingReplacesIt) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "10u", "--valid-freq", "5u"})).exit_code, 0);
  folder_.write("run/last/note.txt", "my note\n");
  const std::string before = read_text(path("run/last/config.json"));
  const auto longer = run("eatt", command("run", {"--after", "15u", "--valid-freq", "5u"}));
  ASSERT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_NE(read_text(path("run/last/config.json")), before);
  EXPECT_EQ(read_text(path("run/last/note.txt")), "my note\n");
}

TEST_F(Train, WhatItMadeCanBeExportedAveragedValidatedAndAligned) {
  const auto trained = run("eatt", command("run"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  auto result = run("eatt", {"export", path("run"), "--output", path("exported")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  result = run("eatt", {"average", path("run"), "--last", "1", "--output", path("one")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_text(folder_ / "one" / "model.safetensors"),
            read_text(folder_ / "exported" / "model.safetensors"));
  result = run("eatt", {"average", path("one"), path("run/last"), "--output", path("two")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_models_to_stay(path("run"), path("exported"), path("one"));
  EXPECT_EQ(read_text(folder_ / "two" / "model.safetensors"),
            read_text(folder_ / "run" / "last" / "model.safetensors"))
      << "the last bundle is the model of the last checkpoint";
  EXPECT_EQ(run("eatt", {"selftest", path("two")}).exit_code, 0);
  result = run("eatt", {"validate", path("two"), "--valid-sets", corpus("dev.zh"), corpus("dev.en"),
                        "--output", path("hyp"), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"perplexity\""));
  EXPECT_EQ(split_lines(read_text(folder_ / "hyp")).size(),
            split_lines(read_text(corpus("dev.en"))).size());
  result = run("eatt", {"align", path("two"), "--sets", corpus("test.zh"), corpus("test.en"),
                        "--choose-on", corpus("dev.zh"), corpus("dev.en"), corpus("dev.align")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("chosen: layer 1"));
  EXPECT_EQ(split_lines(result.out).size(), split_lines(read_text(corpus("test.align"))).size());
}

TEST_F(Train, WithoutItsCheckpointsARunDoesNotReplaceItsModels) {
  ASSERT_EQ(run("eatt", command("run")).exit_code, 0);
  const std::string weights = read_text(folder_ / "run" / "best" / "model.safetensors");
  fs::remove_all(folder_ / "run" / "checkpoints");
  const auto again = run("eatt", command("run"));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("has no checkpoints left, so it cannot be continued"));
  EXPECT_EQ(read_text(folder_ / "run" / "best" / "model.safetensors"), weights);
}

TEST_F(Train, WithTheBestPresetItMakesAModelThatCanBeUsedLikeAnyOther) {
  const auto trained = run("eatt", command("run", {"--attention", "eatt", "--preset", "best"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string model = path("run/best"), small = path("small.int8");
  EXPECT_THAT(read_text(model + "/config.json"), HasSubstr("\"code_levels\": 6"));
  ASSERT_EQ(run("eatt", {"quantize", model, small}).exit_code, 0);
  for (const std::string& bundle : {model, small}) {
    EXPECT_EQ(run("eatt", {"selftest", bundle}).exit_code, 0);
    EXPECT_EQ(run("eatt", {"translate", bundle, "--beam-size", "2"}, "a b\n").exit_code, 0);
    const auto energy = run("eatt", {"energy", "model", bundle}, "a b\n");
    EXPECT_EQ(energy.exit_code, 0) << energy.err;
  }
}

}  // namespace
}  // namespace eatt::testing
