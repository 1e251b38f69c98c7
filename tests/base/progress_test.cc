#include "base/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, ShowsShareCountsSpeedAndTimeLeft) {
  Progress progress("encoding", 1'000'000, "pairs");
  progress.update(250'000);
  EXPECT_EQ(progress.line(0, 2.0), "encoding  25% 250,000/1,000,000 pairs, 125,000/s, 6 s left");
}

TEST(Progress, AResumedJobIsTimedFromWhereItWentOn) {
  Progress progress("encoding", 1'000'000, "pairs", /*already_done=*/500'000);
  progress.update(750'000);
  EXPECT_EQ(progress.line(0, 2.0), "encoding  75% 750,000/1,000,000 pairs, 125,000/s, 2 s left");
}

TEST(Progress, TheBarFillsTheTerminalAndNoMore) {
  Progress progress("encoding", 1'000'000, "pairs");
  progress.update(500'000);
  const std::string line = progress.line(100, 2.0);
  EXPECT_EQ(line.size(), 100u);
  EXPECT_THAT(line, HasSubstr("[#"));
}

TEST(Progress, AnUnknownTotalShowsNoShare) {
  Progress progress("reading", 0, "lines");
  progress.update(10);
  EXPECT_EQ(progress.line(100, 2.0), "reading  10 lines, 5/s");
}

TEST(Progress, DurationsReadNaturally) {
  EXPECT_EQ(format_duration(0.4), "0 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(7500), "2 h 05 min");
}

TEST(Progress, CountsAreGroupedByThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

}  // namespace
}  // namespace eatt
