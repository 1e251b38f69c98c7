#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/api/translation_engine.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<size_t>> plan(const std::vector<size_t>& lengths, BatchLimits limits) {
  return plan_batches(lengths, limits);
}

TEST(BatchPlan, SimilarLengthsGoTogetherTheLongestFirst) {
  EXPECT_THAT(plan({3, 9, 4, 8}, {.words = 100, .sentences = 2}),
              ElementsAre(ElementsAre(1, 3), ElementsAre(2, 0)));
}

TEST(BatchPlan, EqualLengthsKeepTheirOrder) {
  EXPECT_THAT(plan({5, 5, 5}, {.words = 10, .sentences = 8}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(BatchPlan, ASentenceAboveTheLimitIsAlone) {
  EXPECT_THAT(plan({2, 50, 2}, {.words = 10, .sentences = 8}),
              ElementsAre(ElementsAre(1), ElementsAre(0, 2)));
}

TEST(BatchPlan, EmptySentencesAreInNoBatch) {
  EXPECT_THAT(plan({0, 4, 0}, {}), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(plan({}, {}), ElementsAre());
}

TEST(BatchPlan, EveryWorkerGetsSomething) {
  const auto batches =
      plan(std::vector<size_t>(8, 5), {.words = 1000, .sentences = 32, .workers = 4});
  EXPECT_EQ(batches.size(), 4u);
  for (const auto& batch : batches) EXPECT_EQ(batch.size(), 2u);
}

TEST(BatchPlan, EverySentenceIsInOneBatchWithinTheLimits) {
  std::vector<size_t> lengths;
  for (size_t i = 0; i < 500; ++i) lengths.push_back(1 + i * 37 % 90);
  std::set<size_t> seen;
  for (const auto& batch : plan(lengths, {.words = 200, .sentences = 16, .workers = 2})) {
    size_t words = 0;
    for (const size_t i : batch) {
      EXPECT_TRUE(seen.insert(i).second);
      words += lengths[i];
    }
    EXPECT_LE(words, 200u);
    EXPECT_LE(batch.size(), 16u);
  }
  EXPECT_EQ(seen.size(), lengths.size());
}

TEST(SentenceFeed, GivesEverySentenceOnceTheLongestFirst) {
  const std::vector<size_t> lengths = {3, 9, 0, 8};
  SentenceFeed feed(lengths, {.words = 20, .sentences = 8});
  EXPECT_EQ(feed.take(0, 0), 1u);
  EXPECT_EQ(feed.take(1, 9), 3u);
  EXPECT_EQ(feed.take(2, 17), 0u);
  EXPECT_EQ(feed.take(0, 0), std::nullopt);
}

TEST(SentenceFeed, ABatchGetsNoMoreThanItsLimitsButAlwaysOne) {
  const std::vector<size_t> lengths = {30, 5, 5, 5};
  SentenceFeed feed(lengths, {.words = 12, .sentences = 2, .workers = 1});
  EXPECT_EQ(feed.take(0, 0), 0u);
  EXPECT_EQ(feed.take(1, 30), std::nullopt);
  EXPECT_EQ(feed.take(1, 7), 1u);
  EXPECT_EQ(feed.take(2, 10), std::nullopt);
  EXPECT_EQ(feed.take(1, 8), std::nullopt);
  EXPECT_EQ(feed.take(0, 0), 2u);
}

TEST(SentenceFeed, WantsMoreOnceAQuarterHasLeft) {
  const std::vector<size_t> lengths(100, 5);
  const SentenceFeed feed(lengths, {.words = 1000, .sentences = 32});
  EXPECT_TRUE(feed.wants_more(24, 750));
  EXPECT_FALSE(feed.wants_more(25, 750));
  EXPECT_FALSE(feed.wants_more(24, 751));
}

TEST(SentenceFeed, GivesNothingAfterItsEnd) {
  const std::vector<size_t> lengths = {3, 4};
  SentenceFeed feed(lengths, {});
  EXPECT_EQ(feed.take(0, 0), 1u);
  feed.end();
  EXPECT_EQ(feed.take(0, 0), std::nullopt);
}

}  // namespace
}  // namespace eatt
