#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "runtime/search/search.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(ScoreTargets, AddsUpTheProbabilitiesOfTheGivenPieces) {
  ToyModel model(constant_probabilities({0.2, 0.5, 0.3}), 6);
  const auto scored = score_targets(model, std::vector<ScoreTask>{{{4}, {kA, kB, kA}}})[0];
  EXPECT_EQ(scored.pieces, (Ids{kA, kB, kA}));
  ASSERT_EQ(scored.piece_scores.size(), 4u);
  EXPECT_NEAR(scored.piece_scores[1], std::log(0.3), 1e-6);
  EXPECT_NEAR(scored.piece_scores[3], std::log(0.2), 1e-6);
  EXPECT_NEAR(scored.log_probability, std::log(0.5 * 0.3 * 0.5 * 0.2), 1e-6);
  EXPECT_EQ(scored.score, scored.log_probability);
  EXPECT_TRUE(scored.finished);
}

TEST(ScoreTargets, GivesWhatTheSearchSaidOfItsTranslations) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    ToyModel model(random_logits(seed, 8), 8);
    model.attends = true;
    const SearchTask task{.source = {4, 6}};
    const auto found = search_one(model, task, {.beam_size = 5, .n_best = 5});
    std::vector<ScoreTask> tasks;
    for (const auto& hypothesis : found) tasks.push_back({task.source, hypothesis.pieces});
    const auto scored = score_targets(model, tasks);
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i].finished) expect_same(scored[i], found[i]);
    }
  }
}

TEST(ScoreTargets, SentencesThatAreDoneGetNoMoreRows) {
  ToyModel model(random_logits(1, 8), 8);
  score_targets(model, std::vector<ScoreTask>{{{4}, {kA, kB}}, {{5}, {}}, {{6}, {kC}}});
  EXPECT_EQ(model.rows_of_sentence,
            (std::vector<std::vector<int>>{{1, 1, 1}, {1, 0, 0}, {1, 1, 0}}));
}

TEST(ScoreTargets, PiecesThatTheModelRulesOutKeepScoresFinite) {
  ToyModel model(constant_probabilities({0.5, 0.5, 0.0}), 6);
  const auto scored = score_targets(model, std::vector<ScoreTask>{{{4}, {kB, kA}}})[0];
  EXPECT_EQ(scored.piece_scores[0], -1e4);
  EXPECT_NEAR(scored.log_probability, -1e4 + std::log(0.25), 1e-6);
}

std::string complaint(StepModel& model, const Ids& target) {
  try {
    score_targets(model, std::vector<ScoreTask>{{{4}, target}});
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ScoreTargets, SaysWhichTargetsCannotBeScored) {
  ToyModel model(random_logits(1, 6), 6);
  model.max_target = 3;
  EXPECT_EQ(complaint(model, {kA, kUnknownPiece}), "none");
  EXPECT_THAT(complaint(model, {kA, kA, kA}), HasSubstr("has 3 pieces, but the model computes at"));
  EXPECT_THAT(complaint(model, {6}), HasSubstr("holds piece 6; expected pieces of text, below 6"));
  EXPECT_THAT(complaint(model, {-1}), HasSubstr("holds piece -1"));
  EXPECT_THAT(complaint(model, {kEndPiece}), HasSubstr("holds piece 3"));
}

}  // namespace
}  // namespace eatt
