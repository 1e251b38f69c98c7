#include "training/run/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "support/files.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct SmallRows {
  SmallRows() : net(torch::nn::Linear(3, 2)), parameters(*net), adam(parameters, {}) {
    torch::manual_seed(1);
    smoothed = torch::rand({8});
    adam.first_moment().copy_(torch::rand({8}));
    adam.second_moment().copy_(torch::rand({8}));
    parameters.values().copy_(torch::rand({8}));
    adam.set_steps(41);
  }
  TrainingRows rows() { return {parameters, adam, smoothed}; }

  torch::nn::Linear net;
  ParameterBuffer parameters;
  Adam adam;
  torch::Tensor smoothed;
};

TrainingState some_state() {
  TrainingState state;
  state.update = 1200;
  state.attempts = 1203;
  state.epoch = 3;
  state.position = 77;
  state.words = 123456;
  state.seconds = 12.5;
  state.score = 21.25;
  state.best_score = 22.5;
  state.best_update = 1100;
  state.stalled = 1;
  state.skipped_in_a_row = 2;
  state.rollbacks = 1;
  state.rate_factor = 0.5;
  return state;
}

TEST(Checkpoint, BringsEverythingBackToTheSameBits) {
  const TemporaryFolder folder;
  SmallRows saved;
  save_checkpoint(folder.path(), some_state(), saved.rows());
  SmallRows loaded;
  loaded.parameters.values().zero_();
  loaded.adam.first_moment().zero_();
  loaded.adam.second_moment().zero_();
  loaded.smoothed.zero_();
  loaded.adam.set_steps(0);
  const TrainingState state = load_checkpoint(folder.path(), 1200, loaded.rows());
  EXPECT_TRUE(loaded.parameters.values().equal(saved.parameters.values()));
  EXPECT_TRUE(loaded.net->weight.view(-1).equal(saved.net->weight.view(-1)));
  EXPECT_TRUE(loaded.adam.first_moment().equal(saved.adam.first_moment()));
  EXPECT_TRUE(loaded.adam.second_moment().equal(saved.adam.second_moment()));
  EXPECT_TRUE(loaded.smoothed.equal(saved.smoothed));
  EXPECT_EQ(loaded.adam.steps(), 41);
  EXPECT_EQ(state.update, 1200);
  EXPECT_EQ(state.attempts, 1203);
  EXPECT_EQ(state.epoch, 3u);
  EXPECT_EQ(state.position, 77u);
  EXPECT_EQ(state.score, 21.25);
  EXPECT_EQ(state.best_score, 22.5);
  EXPECT_EQ(state.stalled, 1);
  EXPECT_EQ(state.rate_factor, 0.5);
}

TEST(Checkpoint, AChangedByteIsNoticed) {
  const TemporaryFolder folder;
  SmallRows rows;
  save_checkpoint(folder.path(), some_state(), rows.rows());
  const auto file = folder / "step-00001200" / "weights.safetensors";
  std::string bytes = testing::read_text(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  try {
    load_checkpoint(folder.path(), 1200, rows.rows());
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("weights.safetensors: its contents have changed"));
    EXPECT_THAT(error.what(), HasSubstr("to continue from the checkpoint before it"));
  }
}

TEST(Checkpoint, AChangedNumberOfTheStateIsNoticed) {
  const TemporaryFolder folder;
  SmallRows rows;
  save_checkpoint(folder.path(), some_state(), rows.rows());
  const auto file = folder / "step-00001200" / "state.json";
  std::string text = testing::read_text(file);
  const size_t at = text.find("\"adam_steps\": 41");
  ASSERT_NE(at, text.npos);
  text.replace(at, 16, "\"adam_steps\": 20");
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_THAT([&] { load_checkpoint(folder.path(), 1200, rows.rows()); },
              ::testing::ThrowsMessage<Error>(HasSubstr("state.json: its contents do not match")));
  EXPECT_THROW(read_training_state(folder.path(), 1200), Error);
}

TEST(Checkpoint, AStateOfAnOlderVersionHasNoChecksumAndLoads) {
  const TemporaryFolder folder;
  SmallRows rows;
  save_checkpoint(folder.path(), some_state(), rows.rows());
  const auto file = folder / "step-00001200" / "state.json";
  auto state = nlohmann::json::parse(testing::read_text(file));
  state.erase("checksum");
  std::ofstream(file, std::ios::binary) << state.dump(2);
  EXPECT_EQ(load_checkpoint(folder.path(), 1200, rows.rows()).update, 1200);
}

TEST(Checkpoint, AMissingFieldIsToldInPlainWords) {
  const TemporaryFolder folder;
  SmallRows rows;
  save_checkpoint(folder.path(), some_state(), rows.rows());
  std::ofstream(folder / "step-00001200" / "state.json") << R"({"update": "many"})";
  EXPECT_THAT([&] { load_checkpoint(folder.path(), 1200, rows.rows()); },
              ::testing::ThrowsMessage<Error>(HasSubstr("a field is missing or has a wrong type")));
}

TEST(Checkpoint, UnfinishedOnesDoNotCount) {
  const TemporaryFolder folder;
  SmallRows rows;
  save_checkpoint(folder.path(), some_state(), rows.rows());
  std::filesystem::create_directory(folder / "step-00001300.tmp-123");
  std::filesystem::create_directory(folder / "step-14");
  EXPECT_THAT(list_checkpoints(folder.path()), ElementsAre(1200));
}

TEST(Checkpoint, TheNewestAndTheBestAreKept) {
  const TemporaryFolder folder;
  SmallRows rows;
  TrainingState state;
  const std::array scores = {1.0, 5.0, 2.0, 3.0, 2.5};
  for (size_t i = 0; i < scores.size(); ++i) {
    state.update = static_cast<int64_t>(i) * 10;
    state.score = scores[i];
    save_checkpoint(folder.path(), state, rows.rows());
  }
  prune_checkpoints(folder.path(), {.last = 2, .best = 1, .higher_is_better = true});
  EXPECT_THAT(list_checkpoints(folder.path()), ElementsAre(10, 30, 40));
  prune_checkpoints(folder.path(), {.last = 1, .best = 1, .higher_is_better = false});
  EXPECT_THAT(list_checkpoints(folder.path()), ElementsAre(40)) << "2.5 is the lowest of the three";
}

}  // namespace
}  // namespace eatt
