#include "training/run/trainer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "bundle/bundle.h"
#include "bundle/safetensors.h"
#include "small_training.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;
using namespace testing;

std::vector<nlohmann::json> events(const std::filesystem::path& run, const std::string& kind) {
  std::vector<nlohmann::json> found;
  for (const std::string& line : split_lines(read_text(run / "log.jsonl"))) {
    if (line.empty()) continue;
    auto event = nlohmann::json::parse(line);
    if (event["event"] == kind) found.push_back(std::move(event));
  }
  return found;
}

void spoil(Learner& learner) {
  const torch::NoGradGuard no_grad;
  learner.parameters().values().fill_(std::numeric_limits<float>::quiet_NaN());
}

TEST(Trainer, LeavesCheckpointsAndBundles) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  const TrainingPlan plan = small_plan(corpus, folder / "run", 12);
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_THAT(list_checkpoints(folder / "run" / "checkpoints"), ElementsAre(0, 5, 10, 12));
  const Bundle last = Bundle::open(folder / "run" / "last");
  EXPECT_EQ(last.architecture().cross.scale.kind, ScaleKind::folded);
  ASSERT_TRUE(last.manifest().golden.has_value());
  EXPECT_EQ(Bundle::open(folder / "run" / "best").architecture(), last.architecture());
  EXPECT_EQ(run_training(plan), TrainingEnd::was_finished);
}

TEST(Trainer, InterruptedRunsEndWithTheSameBits) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  for (const double smoothing : {0.0, 0.1}) {
    TrainingPlan whole = small_plan(corpus, folder / fmt::format("whole{}", smoothing), 17);
    whole.options.exponential_smoothing = smoothing;
    run_training(whole);
    TrainingPlan parts = whole;
    parts.run = folder / fmt::format("parts{}", smoothing);
    for (const int64_t stop : {1, 8, 17}) {
      parts.options.after = {stop, false};
      run_training(parts);
    }
    EXPECT_EQ(newest_weights(parts.run), newest_weights(whole.run)) << smoothing;
  }
}

TEST(Trainer, InterruptedRunsOnSeveralCorporaWithWeightsEndWithTheSameBits) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  const auto plan_of = [&](const std::string& run, int64_t updates) {
    TrainingPlan plan = small_plan(corpus, folder / run, updates);
    plan.train_sets.push_back({corpus.valid_source.string(), corpus.valid_target.string()});
    plan.options.corpus_weights = "0.4,2.5";
    plan.options.save_freq = {7, false};
    return plan;
  };
  run_training(plan_of("whole", 24));
  run_training(plan_of("parts", 9));
  run_training(plan_of("parts", 24));
  EXPECT_EQ(newest_weights(folder / "parts"), newest_weights(folder / "whole"));
  TrainingPlan other = plan_of("parts", 30);
  other.options.corpus_weights = "0.4,1";
  EXPECT_THROW(run_training(other), UsageError);
  other.options.corpus_weights = "1,1,1";
  EXPECT_THROW(run_training(other), UsageError) << "three weights for two corpora";
}

TEST(Trainer, GoesBackToACheckpointWithALowerRateAndRecovers) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 20);
  plan.options.skip_limit = 3;
  bool spoilt = false;
  plan.before_update = [&](Learner& learner, int64_t attempt) {
    if (attempt == 7 && !std::exchange(spoilt, true)) spoil(learner);
  };
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_EQ(events(plan.run, "skipped").size(), 3u);
  EXPECT_THAT(events(plan.run, "skipped")[0]["problem"].get<std::string>(), HasSubstr("first in "));
  const auto back = events(plan.run, "rolled back");
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0]["update"], 5);
  EXPECT_EQ(back[0]["rate_factor"], 0.5);
  EXPECT_EQ(events(plan.run, "finished")[0]["update"], 20);
}

TEST(Trainer, GivesUpWithAClearMessageWhenNothingHelps) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 20);
  plan.options.skip_limit = 2;
  plan.options.rollback_limit = 2;
  plan.before_update = [&](Learner& learner, int64_t attempt) {
    if (attempt >= 6) spoil(learner);
  };
  try {
    run_training(plan);
    FAIL() << "trained";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("gave up at update 7"));
    EXPECT_THAT(error.what(), HasSubstr("try a lower --learn-rate"));
  }
  const auto state = read_training_state(plan.run / "checkpoints", 5);
  EXPECT_EQ(state.rate_factor, 0.25);
}

TEST(Trainer, AWreckedCheckpointIsNotGoneBackToForEver) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 12);
  plan.options.save_freq = {1, false};
  plan.options.skip_limit = 2;
  bool wrecked = false;
  plan.before_update = [&](Learner& learner, int64_t attempt) {
    // Finite weights, a finite gradient, and nothing left of what was learnt: it gets saved.
    if (attempt != 6 || std::exchange(wrecked, true)) return;
    const torch::NoGradGuard no_grad;
    learner.adam().first_moment().fill_(-1e18);
  };
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_GE(events(plan.run, "rolled back").size(), 2u);
  EXPECT_EQ(events(plan.run, "finished")[0]["update"], 12);
}

TEST(Trainer, ARunThatWasKilledBeforeItsLastBundleGetsItNextTime) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 5);
  run_training(plan);
  // As if the process had died between its last checkpoint and the end.
  const auto file = folder / "run" / "checkpoints" / "step-00000005" / "state.json";
  auto state = nlohmann::json::parse(read_text(file));
  state["finished"] = false;
  state.erase("checksum");  // As older versions wrote it.
  write_file_atomically(file, state.dump());
  std::filesystem::remove_all(folder / "run" / "last");
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_NO_THROW(Bundle::open(folder / "run" / "last"));
  EXPECT_EQ(run_training(plan), TrainingEnd::was_finished);
}

TEST(Trainer, AFailedStartDoesNotTieTheFolderToItsOptions) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 2);
  plan.init_from = folder / "nowhere";
  EXPECT_THROW(run_training(plan), Error);
  plan.init_from.clear();
  plan.options.learn_rate = 0.01;
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
}

TEST(Trainer, StopsEarlyWhenTheScoreNoLongerImproves) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 200);
  plan.options.learn_rate = 0;  // Nothing ever gets better.
  plan.options.valid_freq = {2, false};
  plan.options.valid_metric = ValidMetric::cross_entropy;
  plan.options.early_stopping = 3;
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_EQ(events(plan.run, "finished")[0]["update"], 8);
  EXPECT_EQ(events(plan.run, "finished")[0]["early"], true);
  EXPECT_EQ(run_training(plan), TrainingEnd::was_finished);
}

TEST(Trainer, AnotherSettingIsRefusedWithBothValues) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 3);
  run_training(plan);
  plan.options.learn_rate = 0.25;
  try {
    run_training(plan);
    FAIL() << "went on";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--learn-rate 0.005 and cannot continue with 0.25"));
  }
}

TEST(Trainer, TheSameTextWrittenAnewIsTheSameText) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 2);
  run_training(plan);
  folder.write("train.src", read_text(corpus.train_source));
  plan.options.after = {4, false};
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  folder.write("train.src", read_text(corpus.train_source) + "bala\n");
  folder.write("train.tgt", read_text(corpus.train_target) + "BALA\n");
  plan.options.after = {6, false};
  EXPECT_THROW(run_training(plan), UsageError);
}

TEST(Trainer, OtherDataAreRefused) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "run", 3);
  run_training(plan);
  const TemporaryFolder elsewhere;
  const SmallCorpus other(elsewhere, 250);
  TrainingPlan first = small_plan(other, elsewhere / "run", 1);
  run_training(first);
  plan.train_sets.clear();
  plan.prepared = elsewhere / "run" / "data";
  try {
    run_training(plan);
    FAIL() << "went on";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("training data"));
  }
}

TEST(Trainer, OneFlippedBitInTheDataEndsTheRunBeforeItsFirstCheckpoint) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  run_training(small_plan(corpus, folder / "first", 1));
  const auto data = folder / "first" / "data";
  const auto file = data / "source.bin";
  std::string bytes = read_text(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file_atomically(file, bytes);
  TrainingPlan plan = small_plan(corpus, folder / "run", 3);
  plan.train_sets.clear();
  plan.prepared = data;
  EXPECT_THAT([&] { run_training(plan); },
              ::testing::ThrowsMessage<Error>(HasSubstr("source.bin: has changed")));
  EXPECT_THAT(list_checkpoints(plan.run / "checkpoints"), ::testing::IsEmpty());
}

void train_vanilla(const SmallCorpus& corpus, const std::filesystem::path& run) {
  TrainingPlan plan = small_plan(corpus, run, 6);
  plan.options.attention = "vanilla";
  run_training(plan);
}

// All weights are copied but those of queries and keys, which read codes now.
TEST(Trainer, AVanillaBundleStartsAnEattModel) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  train_vanilla(corpus, folder / "vanilla");
  const Safetensors before(folder / "vanilla/checkpoints/step-00000006/weights.safetensors");
  for (const std::string attention : {"eatt", "l1"}) {
    TrainingPlan plan = small_plan(corpus, folder / attention, 1);
    plan.options.attention = attention;
    plan.options.learn_rate = 0;
    plan.init_from = folder / "vanilla" / "last";
    run_training(plan);
    const Safetensors after(plan.run / "checkpoints/step-00000001/weights.safetensors");
    ASSERT_FALSE(after.tensors().empty());
    for (const TensorInfo& tensor : after.tensors()) {
      const auto is = [&](const char* part) { return tensor.name.find(part) != std::string::npos; };
      const bool of_scores = is("q_proj.w") || is("k_proj.w");
      // Biases may stay as they were: they start from 0 and take what the codes leave over.
      if (attention == "eatt" && (is("q_proj.b") || is("k_proj.b"))) continue;
      const auto copied = Pointwise(FloatNear(1e-6f), before.values<float>(tensor.name));
      if (attention == "eatt" && of_scores) {
        EXPECT_THAT(after.values<float>(tensor.name), Not(copied)) << tensor.name;
      } else {
        EXPECT_THAT(after.values<float>(tensor.name), copied) << tensor.name;
      }
    }
  }
}

TEST(Trainer, AnInterruptedRunThatStartedFromAnotherMechanismEndsWithTheSameBits) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  train_vanilla(corpus, folder / "vanilla");
  const auto train = [&](const std::string& run, int64_t updates) {
    TrainingPlan plan = small_plan(corpus, folder / run, updates);
    plan.options.learn_threshold = true;
    plan.init_from = folder / "vanilla" / "last";
    run_training(plan);
  };
  train("whole", 9);
  train("parts", 1);
  train("parts", 9);
  EXPECT_EQ(newest_weights(folder / "parts"), newest_weights(folder / "whole"));
}

TEST(Trainer, ARunWithLeversOnItsCodesThatWasKilledEndsWithTheSameBits) {
  const TemporaryFolder folder;
  const SmallCorpus corpus(folder);
  TrainingPlan plan = small_plan(corpus, folder / "whole", 16);
  plan.options.learn_threshold = true;
  plan.options.code_lr = 0.5;
  plan.options.freeze_codes = 0.5;
  plan.options.code_density_weight = 1;
  run_training(plan);
  plan.run = folder / "parts";
  for (const int64_t killed : {6, 13}) {  // Before and after codes freeze.
    plan.before_update = [&](Learner&, int64_t attempt) {
      if (attempt == killed) throw Error("killed");
    };
    EXPECT_THROW(run_training(plan), Error);
  }
  plan.before_update = nullptr;
  EXPECT_EQ(run_training(plan), TrainingEnd::finished);
  EXPECT_EQ(newest_weights(folder / "parts"), newest_weights(folder / "whole"));
}

TEST(Trainer, ATeacherWithOtherPiecesIsRefused) {
  const TemporaryFolder folder, elsewhere;
  const SmallCorpus corpus(folder);
  const SmallCorpus other(elsewhere, 300);
  TrainingPlan teacher = small_plan(other, elsewhere / "run", 1);
  teacher.options.vocab_size = 60;
  run_training(teacher);
  TrainingPlan student = small_plan(corpus, folder / "run", 2);
  student.teacher = elsewhere / "run" / "last";
  EXPECT_THROW(run_training(student), Error);
}

}  // namespace
}  // namespace eatt
