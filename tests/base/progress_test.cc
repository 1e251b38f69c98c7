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

TEST(Progress, NounsAgreeWithTheirCounts) {
  EXPECT_EQ(format_count(1, "thread"), "1 thread");
  EXPECT_EQ(format_count(2, "thread"), "2 threads");
  EXPECT_EQ(format_count(0, "pair"), "0 pairs");
  EXPECT_EQ(format_count(1234, "pair"), "1,234 pairs");
}

TEST(Progress, ANarrowTerminalGetsFewerFactsAndNeverMoreThanFits) {
  Progress progress("encoding", 1'000'000, "pairs");
  progress.update(250'000);
  EXPECT_EQ(progress.line(60, 2.0), "encoding  25% [##        ] 250,000/1,000,000 pairs, 6 s left");
  EXPECT_EQ(progress.line(50, 2.0), "encoding  25% 250,000/1,000,000 pairs, 6 s left");
  EXPECT_EQ(progress.line(30, 2.0), "encoding  25%, 6 s left");
  EXPECT_EQ(progress.line(14, 2.0), "encoding  25%");
  for (int columns = 1; columns < 130; ++columns) {
    EXPECT_LE(progress.line(columns, 2.0).size(), static_cast<size_t>(columns));
  }
}

TEST(Progress, AShareMayBeKnownWhereTheTotalIsNot) {
  Progress progress("training", 0, "updates", /*already_done=*/100);
  progress.resume_at(0.2);
  EXPECT_EQ(progress.update_now(100, 0.2), std::nullopt);
  EXPECT_GT(progress.update_now(150, 0.3).value(), 0);
  EXPECT_EQ(progress.line(0, 10.0), "training  30% 150 updates, 5/s, 1 min 10 s left");
}

}  // namespace
}  // namespace eatt
