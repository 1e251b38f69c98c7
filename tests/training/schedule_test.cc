#include "training/update/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace eatt {
namespace {

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
