#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/threads.h"
#include "text/lexicon/lexical_model.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr int32_t kA = 4, kB = 5, kX = 6, kY = 7;
constexpr float kRounding = 1e-6f;  // Of a float, and of counts in steps of 2^-32.

StoredPairs pairs_of(
    const std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>& all) {
  StoredPairs pairs;
  for (const auto& [source, target] : all) pairs.add(source, target);
  return pairs;
}

// Source pieces 4 … 53, each translated by the piece 50 above it; a common piece 4 on both sides,
// and an order at random.
StoredPairs random_pairs(size_t count) {
  Random random(7);
  StoredPairs pairs;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int32_t> source, target = {4};
    for (uint64_t k = 3 + random.below(8); k > 0; --k) {
      source.push_back(static_cast<int32_t>(4 + random.below(50)));
      target.push_back(source.back() + 50);
    }
    random.shuffle(std::span(target));
    pairs.add(source, target);
  }
  return pairs;
}

LexicalModel train(const StoredPairs& pairs, int iterations, size_t max_row = 768) {
  return train_lexical_model(
      pairs,
      {.source_vocab = 110, .target_vocab = 110, .iterations = iterations, .max_row = max_row});
}

// "a" is x, "a b" is x y. By hand, with N for NULL:
//   1st iteration, from equal shares: counts a: x 1/2 + 1/3, y 1/3; N the same; b: x 1/3, y 1/3.
//   2nd, from p(x|a) = p(x|N) = 5/7, p(y|a) = p(y|N) = 2/7, p(x|b) = p(y|b) = 1/2: x of the second
//   pair is shared 10:10:7 among N, a and b, y 4:4:7. Counts a: x 1/2 + 10/27, y 4/15; b: x 7/27,
//   y 7/15.
TEST(LexicalTraining, TwoIterationsGiveWhatWasComputedByHand) {
  const StoredPairs pairs = pairs_of({{{kA}, {kX}}, {{kA, kB}, {kX, kY}}});
  const LexicalModel once = train(pairs, 1);
  EXPECT_NEAR(once.probability(kA, kX), 5.0 / 7, kRounding);
  EXPECT_NEAR(once.probability(kA, kY), 2.0 / 7, kRounding);
  EXPECT_NEAR(once.probability(kB, kX), 1.0 / 2, kRounding);
  const LexicalModel twice = train(pairs, 2);
  EXPECT_NEAR(twice.probability(kA, kX), 235.0 / 307, kRounding);
  EXPECT_NEAR(twice.probability(kA, kY), 72.0 / 307, kRounding);
  EXPECT_NEAR(twice.probability(kB, kX), 5.0 / 14, kRounding);
  EXPECT_NEAR(twice.probability(kB, kY), 9.0 / 14, kRounding);
}

TEST(LexicalTraining, TheTranslationIsMostLikelyAndRowsAddUpToOne) {
  const LexicalModel model = train(random_pairs(2000), 5);
  for (int32_t source = 4; source < 54; ++source) {
    const auto row = model.likely(source);
    EXPECT_EQ(row.front().target, source + 50);
    EXPECT_GT(row.front().probability, 0.8f);
    double sum = 0;
    for (const auto& entry : row) sum += entry.probability;
    EXPECT_NEAR(sum, 1, 1e-4);  // What is below 1e-7 is left out.
  }
  EXPECT_THAT(model.likely(60), IsEmpty());
}

TEST(LexicalTraining, TheResultDoesNotDependOnTheNumberOfThreads) {
  const StoredPairs pairs = random_pairs(3000);
  set_thread_count(1);
  const LexicalModel one = train(pairs, 3, 20);
  set_thread_count(3);
  const LexicalModel three = train(pairs, 3, 20);
  set_thread_count(0);
  for (int32_t source = 0; source < 110; ++source) {
    EXPECT_TRUE(std::ranges::equal(one.likely(source), three.likely(source))) << source;
  }
}

TEST(LexicalTraining, ShortRowsKeepTheTranslation) {
  const LexicalModel model = train(random_pairs(2000), 5, 12);
  for (int32_t source = 4; source < 54; ++source) {
    EXPECT_THAT(model.likely(source), SizeIs(Le(12u)));
    EXPECT_EQ(model.likely(source).front().target, source + 50);
  }
}

TEST(LexicalTraining, UnknownTargetPiecesAreNotLearnt) {
  const StoredPairs pairs = pairs_of({{{kA}, {kUnknownPiece, kX}}, {{kA}, {kUnknownPiece}}});
  EXPECT_THAT(train(pairs, 2).likely(kA), ElementsAre(LexicalModel::Entry{kX, 1}));
}

TEST(CooccurrenceCounts, ARowKeepsWhatIsAssociatedNotWhatIsFrequent) {
  std::vector<uint64_t> target_counts(100, 10);
  target_counts[4] = 100'000;
  CooccurrenceRow row;
  for (int i = 0; i < 9; ++i) row.add(50, 2, target_counts);
  for (int i = 0; i < 20; ++i) row.add(4, 2, target_counts);
  for (int32_t rare = 60; rare < 70; ++rare) row.add(rare, 2, target_counts);
  const auto best = row.best(2, target_counts);
  ASSERT_THAT(best, SizeIs(2));
  EXPECT_EQ(best[0].target, 50);
  EXPECT_EQ(best[0].count, 9u);
}

TEST(CooccurrenceCounts, EveryCooccurrenceIsCountedWhereRowsHaveRoom) {
  const StoredPairs pairs =
      pairs_of({{{kA, kA}, {kX, kY, kX}}, {{kB}, {kY}}, {{kA}, {kY, kUnknownPiece}}});
  const auto rows = count_cooccurrences(pairs, 8, 10, std::vector<uint64_t>(8, 5));
  ASSERT_THAT(rows, SizeIs(8));
  ASSERT_THAT(rows[kA], SizeIs(2));
  EXPECT_EQ(rows[kA][0].target, kX);
  EXPECT_EQ(rows[kA][0].count, 4u);
  EXPECT_EQ(rows[kA][1].target, kY);
  EXPECT_EQ(rows[kA][1].count, 3u);
  ASSERT_THAT(rows[kB], SizeIs(1));
  EXPECT_EQ(rows[kB][0].count, 1u);
}

TEST(LexicalTraining, TargetPiecesAreCounted) {
  const StoredPairs pairs = pairs_of({{{kA}, {kX, kX}}, {{kB}, {kY, kX}}});
  EXPECT_THAT(count_target_pieces(pairs, 9), ElementsAre(0, 0, 0, 0, 0, 0, 3, 1, 0));
}

}  // namespace
}  // namespace eatt
