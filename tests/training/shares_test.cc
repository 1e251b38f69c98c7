#include "training/distributed/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "text/data/batches.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint64_t> sorted_pairs(const PairBatches& batches) {
  std::vector<uint64_t> pairs;
  for (const auto& batch : batches) pairs.insert(pairs.end(), batch.begin(), batch.end());
  std::ranges::sort(pairs);
  return pairs;
}

double pieces(const PairBatches& batches, std::span<const PairLength> lengths) {
  double sum = 0;
  for (const auto& batch : batches) {
    const BatchShape shape = shape_of(lengths, batch);
    sum += static_cast<double>(shape.padded_source_words() + shape.padded_target_words());
  }
  return sum;
}

// Pairs of 1 to 60 pieces, and their batches.
struct Drawn {
  explicit Drawn(uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 5000; ++i) {
      const auto length = static_cast<uint32_t>(1 + random.below(60));
      lengths.push_back({length, length});
    }
    EpochBatches epoch(lengths, {.words = 1000}, seed, 0);
    for (std::vector<uint64_t> pairs; epoch.next(pairs);) batches.push_back(pairs);
  }
  std::vector<PairLength> lengths;
  PairBatches batches;
};

TEST(ShareOf, EveryPairIsInExactlyOneShare) {
  const Drawn drawn(1);
  for (const size_t workers : {1, 2, 3, 4, 7}) {
    PairBatches all;
    for (size_t rank = 0; rank < workers; ++rank) {
      const auto share = share_of(drawn.batches, drawn.lengths, rank, workers);
      all.insert(all.end(), share.begin(), share.end());
    }
    EXPECT_EQ(sorted_pairs(all), sorted_pairs(drawn.batches)) << workers;
  }
}

TEST(ShareOf, AWorkerAloneGetsTheBatchesAsTheyAre) {
  const Drawn drawn(2);
  EXPECT_EQ(share_of(drawn.batches, drawn.lengths, 0, 1), drawn.batches);
}

// An update has a batch for each worker; a batch at the end of a window may be a small rest.
TEST(ShareOf, SharesOfAnUpdateAreEqualWork) {
  const Drawn drawn(3);
  for (const size_t workers : {2, 3, 4}) {
    for (size_t first = 0; first + workers <= drawn.batches.size(); first += workers) {
      const auto begin = drawn.batches.begin() + static_cast<std::ptrdiff_t>(first);
      const PairBatches update(begin, begin + static_cast<std::ptrdiff_t>(workers));
      const double even = pieces(update, drawn.lengths) / static_cast<double>(workers);
      for (size_t rank = 0; rank < workers; ++rank) {
        const auto share = share_of(update, drawn.lengths, rank, workers);
        // A cut may move by 3 % at each end, and falls between sentences of up to 122 pieces.
        EXPECT_LT(pieces(share, drawn.lengths), even * 1.06 + 122) << workers << " " << first;
      }
    }
  }
}

TEST(ShareOf, FullBatchesStayWhole) {
  const std::vector<PairLength> lengths(8, {9, 9});
  const PairBatches batches = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_THAT(share_of(batches, lengths, 0, 2), ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(share_of(batches, lengths, 1, 2), ElementsAre(ElementsAre(4, 5, 6, 7)));
}

TEST(ShareOf, ASmallRestIsFilledUpFromTheNextBatch) {
  const std::vector<PairLength> lengths(6, {9, 9});
  const PairBatches batches = {{0}, {1, 2, 3, 4, 5}};
  EXPECT_THAT(share_of(batches, lengths, 0, 2), ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
  EXPECT_THAT(share_of(batches, lengths, 1, 2), ElementsAre(ElementsAre(3, 4, 5)));
}

TEST(ShareOf, NobodyStarvesUnlessThereAreFewerPairsThanWorkers) {
  const std::vector<PairLength> lengths = {{50, 50}, {1, 1}, {1, 1}};
  const PairBatches batches = {{0}, {1}, {2}};
  for (size_t rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(share_of(batches, lengths, rank, 3), ElementsAre(ElementsAre(rank)));
  }
  EXPECT_THAT(share_of(batches, lengths, 3, 4), IsEmpty());
}

}  // namespace
}  // namespace eatt
