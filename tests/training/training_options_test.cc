#include "training/options/training_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace eatt {
namespace {

TEST(MakeArchitecture, RolesAndLayersChooseTheirMechanisms) {
  TrainingOptions options;
  options.attention = "eatt:1-3,vanilla:4-6";
  options.cross = "dense";
  const Architecture a = make_architecture(options, 100, 100);
  EXPECT_EQ(print_mechanisms(a.encoder_self.layers), "eatt:1-3,vanilla:4-6");
  EXPECT_EQ(print_mechanisms(a.decoder_self.layers), "eatt:1-3,vanilla:4-6");
  EXPECT_EQ(print_mechanisms(a.cross.layers), "dense");
}

TEST(MakeArchitecture, ThePaperAndTheReleasedFileDiffer) {
  TrainingOptions options;
  const Architecture paper = make_architecture(options, 100, 100);
  EXPECT_EQ(paper.threshold.value, 1.0);
  EXPECT_EQ(paper.qk_dim, 512);
  EXPECT_DOUBLE_EQ(score_divisor(paper, Role::cross), 8.0);
  options.preset = Preset::released;
  const Architecture released = make_architecture(options, 100, 100);
  EXPECT_EQ(released.threshold.value, 0.0);
  EXPECT_EQ(released.qk_dim, 64);
  EXPECT_EQ(released.attention_dim, 512);
  EXPECT_DOUBLE_EQ(score_divisor(released, Role::encoder_self), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(score_divisor(released, Role::cross), 8.0);
  EXPECT_EQ(released.norm_epsilon, 1e-6);
}

TEST(MakeArchitecture, TheBestPresetIsThePapersAttentionWithSignedCodes) {
  TrainingOptions options;
  Architecture paper = make_architecture(options, 100, 100);
  options.preset = Preset::best;
  const Architecture best = make_architecture(options, 100, 100);
  EXPECT_EQ(best.code_levels, 6u);
  EXPECT_EQ(best.threshold.value, 0.25);
  paper.code_levels = best.code_levels;
  paper.threshold = best.threshold;
  EXPECT_EQ(best, paper);
}

TEST(MakeArchitecture, CodeLevelsAreAnIntegerFromZeroToSix) {
  TrainingOptions options;
  options.threshold = "0.5";
  for (const char* text : {"7", "-1", "1.5", "many"}) {
    options.code_levels = text;
    EXPECT_THROW(make_architecture(options, 100, 100), UsageError) << text;
  }
  options.code_levels = "1";
  EXPECT_EQ(make_architecture(options, 100, 100).code_levels, 1u);
  options.threshold = "-0.5";
  EXPECT_THROW(make_architecture(options, 100, 100), Error) << "signed codes need one above 0";
}

TEST(MakeArchitecture, WhatIsSaidOverridesThePreset) {
  TrainingOptions options;
  options.preset = Preset::released;
  options.threshold = "0.5";
  options.learn_threshold = true;
  options.qk_dim = 128;
  options.norm_epsilon = 1e-3;
  options.score_scale = ScaleChoice::learned;
  const Architecture a = make_architecture(options, 100, 100);
  EXPECT_EQ(a.threshold, (Threshold{true, 0.5}));
  EXPECT_EQ(a.qk_dim, 128);
  EXPECT_EQ(a.norm_epsilon, 1e-3);
  EXPECT_EQ(a.cross.scale.kind, ScaleKind::learned);
  EXPECT_DOUBLE_EQ(a.cross.scale.divisor, 4.0) << "starts at the root of the heads' width";
}

TEST(MakeArchitecture, AttentionDimNarrowsQKAndVWhileQkDimNarrowsTwo) {
  TrainingOptions options;
  options.attention_dim = 128;
  const Architecture narrow = make_architecture(options, 100, 100);
  EXPECT_EQ(narrow.model_dim, 512);
  EXPECT_EQ(narrow.attention_dim, 128);
  EXPECT_EQ(narrow.qk_dim, 128);
  options.qk_dim = 64;
  EXPECT_EQ(make_architecture(options, 100, 100).qk_dim, 64);
  EXPECT_EQ(make_architecture(options, 100, 100).attention_dim, 128);
}

TEST(MakeArchitecture, WhatCannotBeIsRefused) {
  TrainingOptions options;
  options.heads = 7;
  EXPECT_THROW(make_architecture(options, 100, 100), Error);
  options = {};
  options.threshold = "one";
  EXPECT_THROW(make_architecture(options, 100, 100), UsageError);
  options = {};
  options.attention = "eatt:1-3";
  EXPECT_THROW(make_architecture(options, 100, 100), UsageError);
  options = {};
  EXPECT_THROW(make_architecture(options, 100, 90), Error) << "all tied, but two vocabularies";
}

TEST(Schedule, ThePapersHasAPlateauBetweenWarmUpAndDecay) {
  const Schedule schedule;  // 0.001 · min(t/8000, 1, √(20000/t))
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0.001 / 8000);
  EXPECT_DOUBLE_EQ(schedule.rate(4000), 0.0005);
  EXPECT_DOUBLE_EQ(schedule.rate(8000), 0.001);
  EXPECT_DOUBLE_EQ(schedule.rate(20000), 0.001);
  EXPECT_DOUBLE_EQ(schedule.rate(80000), 0.0005);
}

TEST(Schedule, InverseSquareRootDecaysFromTheEndOfWarmUp) {
  const Schedule schedule{.kind = ScheduleKind::inverse_sqrt, .peak = 0.002, .warmup = 100};
  EXPECT_DOUBLE_EQ(schedule.rate(50), 0.001);
  EXPECT_DOUBLE_EQ(schedule.rate(100), 0.002);
  EXPECT_DOUBLE_EQ(schedule.rate(400), 0.001);
}

TEST(Schedule, LinearReachesZeroAtTheLastUpdateAndStaysThere) {
  const Schedule schedule{
      .kind = ScheduleKind::linear, .peak = 1.0, .warmup = 10, .last_update = 110};
  EXPECT_DOUBLE_EQ(schedule.rate(10), 1.0);
  EXPECT_DOUBLE_EQ(schedule.rate(60), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(110), 0.0);
  EXPECT_DOUBLE_EQ(schedule.rate(500), 0.0);
}

TEST(Schedule, NoWarmUpStartsAtThePeak) {
  for (const auto kind :
       {ScheduleKind::paper, ScheduleKind::constant, ScheduleKind::inverse_sqrt}) {
    EXPECT_DOUBLE_EQ((Schedule{.kind = kind, .peak = 0.5, .warmup = 0}.rate(1)), 0.5);
  }
}

}  // namespace
}  // namespace eatt
