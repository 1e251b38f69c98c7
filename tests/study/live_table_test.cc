#include "study/live_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eatt::study {
namespace {

CellReport report(const std::string& name, CellState state) {
  CellReport report;
  report.cell.name = name;
  report.state = state;
  return report;
}

std::vector<CellReport> half_way() {
  std::vector<CellReport> reports = {
      report("vanilla", CellState::done), report("l1", CellState::failed),
      report("self-dense-cross-eatt", CellState::running), report("eatt", CellState::running),
      report("best", CellState::waiting)};
  reports[2].step = "train";
  reports[2].share = 0.25;
  reports[2].seconds_left = 900;
  reports[2].cross_entropy = 2.0310;
  reports[3].step = "energy";
  return reports;
}

TEST(LiveTable, HasARowForEachCellThatRunsAndASummary) {
  EXPECT_EQ(live_table(half_way(), 2),
            "self-dense-cross-eatt-s1  train   25%  dev 2.0310  15 min 00 s left\n"
            "eatt-s1                   energy\n"
            "1 of 5 cells done, 1 failed, about 17 min 30 s left");
}

TEST(LiveTable, KnowsNoTimeLeftBeforeATrainingHasSaidIt) {
  auto reports = half_way();
  reports[2].seconds_left.reset();
  EXPECT_EQ(seconds_left(reports, 2), std::nullopt);
  EXPECT_THAT(live_table(reports, 2), ::testing::EndsWith("1 of 5 cells done, 1 failed"));
}

TEST(LiveTable, ExpectsTheLastTrainingToTakeAsLongAsItSays) {
  auto reports = half_way();
  reports.resize(3);
  EXPECT_EQ(seconds_left(reports, 2), 900);
}

TEST(LiveTable, LeavesRoomForTheLogWhenManyCellsRun) {
  std::vector<CellReport> reports(40, report("eatt", CellState::running));
  const std::string table = live_table(reports, 40);
  EXPECT_LE(std::ranges::count(table, '\n'), 13);
  EXPECT_THAT(table, ::testing::HasSubstr("and 28 more\n"));
}

}  // namespace
}  // namespace eatt::study
