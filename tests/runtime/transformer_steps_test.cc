#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "random_model.h"
#include "random_shortlist.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::SizeIs;

const std::vector<std::vector<int32_t>> kSources = {{5, 9, 31, 7}, {60, 4}};

TEST(TransformerSteps, AShortlistGivesTheSameLogitsForItsPieces) {
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const Model model = random_model(odd_architecture(Mechanism::eatt), precision);
    const Shortlist shortlist = random_shortlist(100, 130, 6);
    TransformerSteps whole(model), listed(model, {.shortlist = &shortlist});
    whole.start(kSources);
    listed.start(kSources);
    const std::vector<StepRow> rows = {{1, -1, kStartPiece}, {0, -1, kStartPiece}};
    const StepScores all = whole.step(rows), some = listed.step(rows);
    for (size_t row = 0; row < rows.size(); ++row) {
      std::vector<int32_t> expected;
      shortlist.pieces_for(kSources[static_cast<size_t>(rows[row].sentence)], expected);
      const RowLogits own = some.row(row);
      ASSERT_TRUE(std::ranges::equal(own.pieces, expected));
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(own.logits[i], all.row(row).logits[static_cast<size_t>(expected[i])]);
      }
    }
  }
}

TEST(TransformerSteps, PiecesThatAreNeededJoinTheShortlist) {
  const Model model = random_model(odd_architecture(Mechanism::vanilla), Precision::float32);
  const Shortlist shortlist = random_shortlist(100, 130, 1);
  TransformerSteps steps(model, {.shortlist = &shortlist});
  const SearchTask task{.source = kSources[0], .prefix = {120, 7, 121}};
  const auto best = search(steps, std::span(&task, 1), {}).front().front();
  ASSERT_GE(best.pieces.size(), 3u);
  EXPECT_EQ(best.pieces[0], 120);
  EXPECT_THAT(best.piece_scores, Each(::testing::Gt(-100)));  // Not those of forbidden pieces.
}

TEST(TransformerSteps, AttentionIsADistributionOverTheSourceAndItsEndMarker) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::int8);
  for (const int head : {0, 2}) {
    TransformerSteps steps(model,
                           {.wants_attention = true, .alignment_layer = 1, .alignment_head = head});
    steps.start(kSources);
    const std::vector<StepRow> rows = {{1, -1, kStartPiece}, {0, -1, kStartPiece}};
    steps.step(rows);
    ASSERT_THAT(steps.attention(0), SizeIs(3));
    ASSERT_THAT(steps.attention(1), SizeIs(5));
    float sum = 0;
    for (const float weight : steps.attention(1)) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(TransformerSteps, WhatTheModelHasNotIsRefused) {
  const Model model = random_model(odd_architecture(Mechanism::dense), Precision::float32);
  EXPECT_THROW(TransformerSteps(model, {.wants_attention = true, .alignment_layer = 3}),
               UsageError);
  EXPECT_THROW(TransformerSteps(model, {.wants_attention = true, .alignment_head = 4}), UsageError);
  TransformerSteps steps(model);
  EXPECT_EQ(steps.max_target_pieces(), 64u);
  const std::vector<std::vector<int32_t>> longest = {std::vector<int32_t>(63, 5)};
  EXPECT_NO_THROW(steps.start(longest));
  const std::vector<std::vector<int32_t>> longer = {std::vector<int32_t>(64, 5)};
  EXPECT_THROW(steps.start(longer), Error);
}

// An observer sees all logits, so a search with one is never given the best alone.
class Onlooker : public Observer {};

TEST(TransformerSteps, TheBestPiecesAloneGiveTheSameHypothesesAsAllLogits) {
  Architecture wide = odd_architecture(Mechanism::eatt);
  wide.target_vocab = 1500;  // Several parts of a row.
  wide.embeddings = EmbeddingSharing::none;
  std::vector<SearchTask> tasks;
  for (const auto& source : kSources) tasks.push_back({.source = source});
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const Model model = random_model(wide, precision);
    Onlooker onlooker;
    TransformerSteps best(model), all(model, {.observer = &onlooker});
    for (const SearchOptions& options :
         {SearchOptions{}, SearchOptions{.beam_size = 5, .n_best = 5, .allow_unknown = true},
          SearchOptions{.beam_size = 3, .min_length = 7},
          SearchOptions{.n_best = 4, .alternatives = true}}) {
      const auto found = search(best, tasks, options), expected = search(all, tasks, options);
      for (size_t i = 0; i < tasks.size(); ++i) expect_same(found[i], expected[i]);
    }
  }
}

TEST(TransformerSteps, WhoWantsNoScoresGetsTheSamePieces) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::int8);
  TransformerSteps steps(model);
  for (const SearchOptions& options : {SearchOptions{}, SearchOptions{.beam_size = 4}}) {
    SearchTask task{.source = kSources[0]};
    const SearchHypothesis scored = search_one(steps, task, options)[0];
    task.wants_scores = false;
    const SearchHypothesis plain = search_one(steps, task, options)[0];
    EXPECT_EQ(plain.pieces, scored.pieces);
    EXPECT_EQ(plain.score, 0);
    EXPECT_THAT(plain.piece_scores, SizeIs(0));
    EXPECT_LT(scored.score, 0);
  }
}

// Slots are used again, and hypotheses that share a beginning share its slots.
TEST(TransformerSteps, ReorderedRowsGoOnWithTheHistoryOfTheirParents) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::randinit}) {
    const Model model = random_model(odd_architecture(mechanism), Precision::int8);
    TransformerSteps beam(model), alone(model);
    const auto source = std::span(kSources).first(1);
    beam.start(source);
    beam.step(std::vector<StepRow>{{0, -1, kStartPiece}});
    beam.step(std::vector<StepRow>{{0, 0, 10}, {0, 0, 11}, {0, 0, 12}});
    beam.step(std::vector<StepRow>{{0, 2, 20}, {0, 1, 21}, {0, 1, 22}});
    const StepScores found = beam.step(std::vector<StepRow>{{0, 1, 30}, {0, 0, 31}});
    const std::vector<std::vector<int32_t>> paths = {{11, 21, 30}, {12, 20, 31}};
    for (size_t row = 0; row < paths.size(); ++row) {
      alone.start(source);
      StepScores expected = alone.step(std::vector<StepRow>{{0, -1, kStartPiece}});
      for (const int32_t piece : paths[row])
        expected = alone.step(std::vector<StepRow>{{0, 0, piece}});
      EXPECT_TRUE(std::ranges::equal(found.row(row).logits, expected.row(0).logits))
          << mechanism_name(mechanism) << " row " << row;
    }
  }
}

}  // namespace
}  // namespace eatt
