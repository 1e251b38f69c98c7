#include "runtime/api/word_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eatt {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::FloatNear;

// Source words: 0 (two pieces), 1. Target words: 0, 1 (two pieces).
Translation two_words() {
  Translation translation;
  translation.source_pieces = {"▁a", "b", "▁c"};
  translation.source_words = {0, 0, 1};
  Hypothesis best;
  best.pieces = {"▁x", "▁y", "z"};
  best.words = {0, 1, 1};
  best.piece_scores = {-1, -2, -4, -8};
  best.attention = {
      {0.3f, 0.3f, 0.35f, 0.05f}, {0.1f, 0.1f, 0.7f, 0.1f}, {0.5f, 0.1f, 0.1f, 0.3f}, {0, 0, 0, 1}};
  translation.hypotheses = {best};
  return translation;
}

TEST(WordAlignment, RowsAreMeansOverTargetPiecesAndSumsOverSourcePieces) {
  const Translation translation = two_words();
  std::vector<std::vector<float>> rows;
  std::vector<float> ends;
  for_each_alignment_row(translation, translation.hypotheses[0], AlignmentUnits::word,
                         [&](const AlignmentRow& row) {
                           EXPECT_EQ(row.target, rows.size());
                           EXPECT_EQ(row.first_source, 0u);
                           rows.emplace_back(row.probabilities.begin(), row.probabilities.end());
                           ends.push_back(row.end_marker);
                         });
  const float close = 1e-6f;  // A few additions of numbers below 1.
  EXPECT_THAT(rows, ElementsAre(ElementsAre(FloatNear(0.6f, close), FloatNear(0.35f, close)),
                                ElementsAre(FloatNear(0.4f, close), FloatNear(0.4f, close))));
  EXPECT_THAT(ends, ElementsAre(FloatNear(0.05f, close), FloatNear(0.2f, close)));
}

TEST(WordAlignment, HardLinksAreTheBestOfEachTargetWord) {
  Translation translation = two_words();
  translation.hypotheses[0].attention[1] = {0.1f, 0, 0.8f, 0.1f};
  EXPECT_EQ(
      print_links(hard_alignment(translation, translation.hypotheses[0], AlignmentUnits::word)),
      "0-0 1-1");
  EXPECT_EQ(
      print_links(hard_alignment(translation, translation.hypotheses[0], AlignmentUnits::piece)),
      "0-2 2-0 2-1");
}

TEST(WordAlignment, AWordThatLooksAtTheEndMarkerHasNoLink) {
  Translation translation = two_words();
  translation.hypotheses[0].attention[0] = {0.1f, 0.1f, 0.2f, 0.6f};
  translation.hypotheses[0].attention[1] = {0.1f, 0, 0.8f, 0.1f};
  EXPECT_EQ(
      print_links(hard_alignment(translation, translation.hypotheses[0], AlignmentUnits::word)),
      "1-1");
}

TEST(WordAlignment, AThresholdKeepsAllLinksThatReachIt) {
  const Translation translation = two_words();
  const auto& best = translation.hypotheses[0];
  EXPECT_EQ(print_links(threshold_alignment(translation, best, AlignmentUnits::word, 0.5f)), "0-0");
  EXPECT_EQ(print_links(threshold_alignment(translation, best, AlignmentUnits::word, 0.3f)),
            "0-0 0-1 1-0 1-1");
}

TEST(WordAlignment, RowsOfAPartBeginWhereThePartDoes) {
  Translation translation = two_words();
  Hypothesis& best = translation.hypotheses[0];
  best.attention = {{0.6f, 0.3f, 0.1f}, {0.9f, 0.1f}, {0.9f, 0.1f}, {0, 1}};
  best.attention_begin = {0, 2, 2, 2};
  EXPECT_EQ(print_links(hard_alignment(translation, best, AlignmentUnits::word)), "0-0 1-1");
  EXPECT_EQ(print_links(hard_alignment(translation, best, AlignmentUnits::piece)), "0-0 2-1 2-2");
}

TEST(WordAlignment, WordScoresAddUpPiecesWithoutTheEndMarker) {
  EXPECT_THAT(word_scores(two_words().hypotheses[0]), ElementsAre(DoubleEq(-1), DoubleEq(-6)));
  EXPECT_THAT(word_scores({}), ElementsAre());
}

}  // namespace
}  // namespace eatt
