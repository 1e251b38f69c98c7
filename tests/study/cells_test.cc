#include "study/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace eatt::study {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> ids(const std::vector<Cell>& cells) {
  std::vector<std::string> result;
  for (const Cell& cell : cells) result.push_back(cell.id());
  return result;
}

TEST(StudyCells, OfOverallAreFourModelsForEachSeed) {
  const auto cells = cells_of(StudyKind::overall, 2, {});
  EXPECT_THAT(ids(cells), ElementsAre("vanilla-s1", "eatt-s1", "best-s1", "best-distilled-s1",
                                      "vanilla-s2", "eatt-s2", "best-s2", "best-distilled-s2"));
  EXPECT_EQ(cells.back().teacher, "vanilla-s2");
  EXPECT_THAT(cells.back().teacher_options, ElementsAre("--distill-maps", "1"));
  EXPECT_EQ(cells.back().options, cells[6].options);
}

TEST(StudyCells, OfHybridAreAllPairsOfFourMechanismsAndTheBestCodes) {
  const auto cells = cells_of(StudyKind::hybrid, 1, {});
  EXPECT_THAT(cells, SizeIs(18));
  const auto names = ids(cells);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 18);
  EXPECT_EQ(names.back(), "best-distilled-s1");
  EXPECT_THAT(names, Contains("self-dense-cross-eatt-s1"));
  EXPECT_THAT(names, Contains("eatt-s1")) << "the same training as in the other studies";
}

TEST(StudyCells, OfDistillationHaveATeacherThatIsTrainedFirst) {
  const auto cells =
      cells_of(StudyKind::distillation, 1, {.model_dim = 128, .ffn_dim = 256, .heads = 4});
  EXPECT_THAT(cells, SizeIs(17));
  EXPECT_EQ(cells.front().id(), "vanilla-s1");
  const auto narrow = std::ranges::find(cells, "student-eatt-model-8", &Cell::name);
  ASSERT_NE(narrow, cells.end());
  EXPECT_EQ(narrow->teacher, "vanilla-s1");
  EXPECT_THAT(narrow->options, ElementsAre("--preset", "paper", "--attention", "eatt",
                                           "--model-dim", "16", "--ffn-dim", "32"));
}

TEST(StudyCells, OfDistillationNeedWidthsThatCanBeHalvedThreeTimes) {
  EXPECT_THROW(cells_of(StudyKind::distillation, 1, {.model_dim = 100}), UsageError);
}

TEST(StudyCells, ChosenByNameBringTheirTeachers) {
  const auto cells = cells_of(StudyKind::overall, 2, {});
  EXPECT_THAT(ids(cells_named(cells, {"best-distilled"})),
              ElementsAre("vanilla-s1", "best-distilled-s1", "vanilla-s2", "best-distilled-s2"));
  EXPECT_THAT(cells_named(cells, {}), SizeIs(8));
  EXPECT_THROW(cells_named(cells, {"bets"}), UsageError);
}

TEST(StudyCells, OfSeveralStudiesAreTrainedOnce) {
  const auto cells = cells_of(
      std::vector{StudyKind::overall, StudyKind::ablation, StudyKind::density, StudyKind::energy},
      1, {});
  EXPECT_THAT(ids(cells), ElementsAre("vanilla-s1", "eatt-s1", "best-s1", "best-distilled-s1",
                                      "selection-s1", "l1-s1"));
  EXPECT_EQ(ids(cells_of(StudyKind::ablation, 1, {})).back(), "best-distilled-s1")
      << "the winner is shown";
}

}  // namespace
}  // namespace eatt::study
