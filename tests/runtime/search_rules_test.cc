#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "runtime/search/search.h"
#include "toy_model.h"

// What each option does, with numbers in sight.
namespace eatt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kFloatLogSum = 1e-6;  // Log-sums of rows are floats.

// </s> 0.2, a 0.5, b 0.3 after every prefix.
class SearchRules : public ::testing::Test {
 protected:
  ToyModel model_{constant_probabilities({0.2, 0.5, 0.3}), 6};
  SearchTask task_{.source = {4, 5}};
};

TEST_F(SearchRules, LengthIsLimitedByFactorAndExtra) {
  const auto found = search_one(model_, task_, {.max_length_factor = 1.5, .max_length_extra = 4});
  EXPECT_THAT(found[0].pieces, ElementsAre(kA, kA, kA, kA, kA, kA, kA));
  EXPECT_FALSE(found[0].finished);
  EXPECT_EQ(found[0].piece_scores.size(), 7u);
}

TEST_F(SearchRules, TheMinimumLengthRaisesALowerLimit) {
  const auto found =
      search_one(model_, task_, {.min_length = 9, .max_length_factor = 1, .max_length_extra = 0});
  EXPECT_EQ(found[0].pieces.size(), 9u);
}

TEST_F(SearchRules, LengthIsLimitedByTheLowerOfTwoLimits) {
  EXPECT_EQ(search_one(model_, task_, {.max_length = 3})[0].pieces.size(), 3u);
  EXPECT_EQ(search_one(model_, task_, {.max_length = 30})[0].pieces.size(), 14u);
}

TEST_F(SearchRules, LengthIsLimitedByTheModel) {
  model_.max_target = 6;  // Five pieces and the end marker.
  EXPECT_EQ(search_one(model_, task_, {})[0].pieces.size(), 5u);
}

TEST_F(SearchRules, ATranslationAsLongAsTheLimitMayStillEnd) {
  const ToyLogits logits = [](const Ids&, const Ids& prefix) {
    std::vector<float> row(6, 0.0f);
    row[kEndPiece] = prefix.size() < 3 ? -9 : 9;
    return row;
  };
  ToyModel model(logits, 6);
  for (const int beam_size : {1, 3}) {
    const auto found = search_one(model, task_, {.beam_size = beam_size, .max_length = 3});
    EXPECT_EQ(found[0].pieces.size(), 3u);
    EXPECT_TRUE(found[0].finished);
  }
}

TEST_F(SearchRules, CutHypothesesComeAfterThoseThatEnded) {
  // The cut ones have higher scores: log 0.5 against log 0.2.
  const auto found = search_one(model_, task_, {.beam_size = 3, .n_best = 3, .max_length = 1});
  EXPECT_THAT(pieces_of(found), ElementsAre(Ids{}, Ids{kA}, Ids{kB}));
  EXPECT_TRUE(found[0].finished);
  EXPECT_FALSE(found[1].finished);
  EXPECT_NEAR(found[0].score, std::log(0.2), kFloatLogSum);
  EXPECT_NEAR(found[1].score, std::log(0.5), kFloatLogSum);
}

TEST_F(SearchRules, TheEndHasToWaitForTheMinimumLength) {
  ToyModel model(constant_probabilities({0.8, 0.15, 0.05}), 6);
  EXPECT_THAT(search_one(model, task_, {})[0].pieces, ElementsAre());
  EXPECT_THAT(search_one(model, task_, {.min_length = 2})[0].pieces, ElementsAre(kA, kA));
  for (const auto& found :
       search_one(model, task_, {.beam_size = 4, .n_best = 4, .min_length = 3})) {
    EXPECT_GE(found.pieces.size(), 3u);
  }
  for (const auto& found :
       search_one(model, task_, {.beam_size = 9, .n_best = 9, .min_length = 3, .sampling = true})) {
    EXPECT_GE(found.pieces.size(), 3u);
  }
}

TEST_F(SearchRules, EveryHypothesisBeginsWithThePrefix) {
  task_.prefix = {kB, kUnknownPiece, kB};
  ToyModel model(random_logits(4, 9), 9);
  for (const auto& found : search_one(model, task_, {.beam_size = 4, .n_best = 4})) {
    ASSERT_GE(found.pieces.size(), 3u);
    EXPECT_EQ(Ids(found.pieces.begin(), found.pieces.begin() + 3), task_.prefix);
  }
  EXPECT_EQ(model.rows_of_sentence[0][2], 1);  // Nothing parts within the prefix.
  EXPECT_EQ(model.rows_of_sentence[0][4], 4);
}

TEST_F(SearchRules, ThePrefixCountsInScoresAndLengths) {
  task_.prefix = {kB, kB};
  ToyModel model(constant_probabilities({0.8, 0.1, 0.1}), 6);
  const auto found = search_one(model, task_, {.normalize = 1, .min_length = 2})[0];
  EXPECT_THAT(found.pieces, ElementsAre(kB, kB));
  EXPECT_NEAR(found.log_probability, std::log(0.1 * 0.1 * 0.8), kFloatLogSum);
  EXPECT_NEAR(found.score, std::log(0.1 * 0.1 * 0.8) / 3, kFloatLogSum);
}

TEST_F(SearchRules, APrefixIsNeverCut) {
  task_.prefix = {kB, kB, kB};
  const auto found = search_one(model_, task_, {.max_length = 2})[0];
  EXPECT_THAT(found.pieces, ElementsAre(kB, kB, kB));
  EXPECT_FALSE(found.finished);
}

TEST_F(SearchRules, APrefixThatTheModelRulesOutIsFollowedAllTheSame) {
  ToyModel model(constant_probabilities({0.2, 0.8, 0}), 6);
  model.shortlist = {3, 4};
  task_.prefix = {kB};
  const auto found = search_one(model, task_, {.beam_size = 2, .n_best = 2, .max_length = 2});
  EXPECT_THAT(pieces_of(found), ElementsAre(Ids{kB}, Ids{kB, kA}));
  EXPECT_EQ(found[0].piece_scores[0], -1e4);
}

TEST_F(SearchRules, APrefixBeyondTheModelOrOfMarkersIsAnError) {
  model_.max_target = 3;
  task_.prefix = {kA, kA, kA};
  EXPECT_THROW(search_one(model_, task_, {}), Error);
  task_.prefix = {kEndPiece};
  EXPECT_THROW(search_one(model_, task_, {}), Error);
}

TEST_F(SearchRules, UnknownComesOnlyIfItIsAllowed) {
  const ToyLogits logits = [](const Ids&, const Ids& prefix) {
    return prefix.empty() ? std::vector<float>{9, 8, 9, 0, 7, 6}
                          : std::vector<float>{9, 0, 9, 5, 0, 0};
  };
  ToyModel model(logits, 6);
  EXPECT_THAT(search_one(model, task_, {})[0].pieces, ElementsAre(kA));
  EXPECT_THAT(search_one(model, task_, {.allow_unknown = true})[0].pieces,
              ElementsAre(kUnknownPiece));
}

TEST_F(SearchRules, LengthPenaltyDividesByItsPower) {
  // An end marker and one piece before it are two: ((5 + 2) / 6)^2.
  task_.prefix = {kA};
  const SearchOptions options{.beam_size = 9, .n_best = 2, .length_penalty = 2, .max_length = 2};
  for (const auto& found : search_one(model_, task_, options)) {
    const double n = static_cast<double>(found.pieces.size()) + 1;
    EXPECT_NEAR(found.score, found.log_probability / std::pow((5 + n) / 6, 2), 1e-12);
  }
}

TEST_F(SearchRules, NormalizeMakesLongTranslationsBetter) {
  const SearchOptions options{.beam_size = 30, .max_length = 3};
  EXPECT_EQ(search_one(model_, task_, options)[0].pieces, Ids{});  // 0.2 is above 0.5 · 0.2.
  SearchOptions normalized = options;
  normalized.normalize = 1;
  const auto found = search_one(model_, task_, normalized)[0];
  EXPECT_THAT(found.pieces, ElementsAre(kA, kA, kA));
  EXPECT_NEAR(found.score, std::log(0.5 * 0.5 * 0.5 * 0.2) / 4, kFloatLogSum);
}

TEST_F(SearchRules, AWordPenaltyIsSubtractedForEveryPiece) {
  SearchOptions options{.beam_size = 30, .n_best = 3, .word_penalty = 0.25, .max_length = 3};
  const auto shorter = search_one(model_, task_, options);
  EXPECT_EQ(shorter[0].pieces, Ids{});
  EXPECT_NEAR(shorter[0].score, std::log(0.2) - 0.25, kFloatLogSum);
  EXPECT_THAT(shorter[1].pieces, ElementsAre(kA));
  EXPECT_NEAR(shorter[1].score, std::log(0.1) - 0.5, kFloatLogSum);
  options.word_penalty = -1;  // Above log 2: every further a pays.
  EXPECT_THAT(search_one(model_, task_, options)[0].pieces, ElementsAre(kA, kA, kA));
}

TEST_F(SearchRules, ARepetitionPenaltyMultipliesLogProbabilitiesOfUsedPieces) {
  const SearchOptions options{.repetition_penalty = 3, .max_length = 3};
  // The first a counts log 0.5; a second would 3 log 0.5 = log 0.125, so b and then the end come.
  const auto found = search_one(model_, task_, options)[0];
  EXPECT_THAT(found.pieces, ElementsAre(kA, kB));
  EXPECT_NEAR(found.log_probability, std::log(0.5 * 0.3 * 0.2), kFloatLogSum);
  EXPECT_NEAR(found.score, std::log(0.5 * 0.3 * 0.2), kFloatLogSum);
  task_.prefix = {kB, kB};
  const auto forced = search_one(model_, task_, {.repetition_penalty = 3, .max_length = 2})[0];
  EXPECT_NEAR(forced.log_probability, 2 * std::log(0.3), kFloatLogSum);
  EXPECT_NEAR(forced.score, (1 + 3) * std::log(0.3), kFloatLogSum);
}

TEST_F(SearchRules, CoverageRewardsAttentionToAllOfTheSource) {
  model_.attends = true;
  task_.prefix = {kA};
  const auto found = search_one(model_, task_, {.coverage_penalty = 0.5, .max_length = 1})[0];
  const auto first = ToyModel::attention_of(task_.source, {});
  double expected = 0;
  for (size_t i = 0; i < 2; ++i) expected += 0.5 * std::log(std::min(1.0f, first[i]));
  ASSERT_FALSE(found.finished);  // Cut, so the step after a does not count.
  EXPECT_NEAR(found.score, std::log(0.5) + expected, 1e-6);
}

TEST_F(SearchRules, CoverageNeedsAttention) {
  try {
    search_one(model_, task_, {.coverage_penalty = 0.5});
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--coverage-penalty needs the attention"));
  }
}

TEST_F(SearchRules, AttentionComesWithEveryPieceAndTheEnd) {
  ToyModel model(random_logits(2, 6), 6);
  model.attends = true;
  for (const auto& found : search_one(model, task_, {.beam_size = 3, .n_best = 3})) {
    ASSERT_EQ(found.attention.size(), found.piece_scores.size());
    for (size_t i = 0; i < found.attention.size(); ++i) {
      const Ids before(found.pieces.begin(), found.pieces.begin() + static_cast<long>(i));
      EXPECT_EQ(found.attention[i], ToyModel::attention_of(task_.source, before));
    }
  }
}

TEST_F(SearchRules, AlternativesDifferAfterThePrefixAndGoOnGreedily) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ToyModel model(random_logits(seed, 9), 9);
    task_.prefix = {kB};
    const auto found = search_one(model, task_, {.n_best = 4, .alternatives = true});
    ASSERT_EQ(found.size(), 4u);
    std::set<int32_t> different;
    for (const auto& one : found) {
      const int32_t piece = one.pieces.size() > 1 ? one.pieces[1] : kEndPiece;
      different.insert(piece);
      if (piece == kEndPiece) continue;
      expect_same(search_one(model, {.source = task_.source, .prefix = {kB, piece}}, {})[0], one);
    }
    EXPECT_EQ(different.size(), 4u);
  }
}

TEST_F(SearchRules, AlternativesAreTheBestPiecesThere) {
  const auto found = search_one(model_, task_, {.n_best = 2, .alternatives = true});
  std::set<int32_t> first = {found[0].pieces.at(0), found[1].pieces.at(0)};
  EXPECT_THAT(first, ElementsAre(kA, kB));
}

TEST_F(SearchRules, AlternativesAtTheLimitAreTheEndOrNone) {
  task_.prefix = {kA};
  const SearchOptions options{.n_best = 3, .max_length = 1, .alternatives = true};
  const auto found = search_one(model_, task_, options);
  EXPECT_THAT(pieces_of(found), ElementsAre(Ids{kA}, Ids{kA}));
  EXPECT_TRUE(found[0].finished);
  EXPECT_FALSE(found[1].finished);
}

}  // namespace
}  // namespace eatt
