#include "text/data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/random.h"

namespace eatt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

using Batch = std::vector<uint64_t>;

// Lengths like those of text: many short sentences, some long, the target near the source.
std::vector<PairLength> text_like(size_t pairs) {
  Random random(5);
  std::vector<PairLength> lengths(pairs);
  for (PairLength& length : lengths) {
    const double source = 4.0 * std::exp(2.5 * random.uniform());
    length.source = static_cast<uint32_t>(source);
    length.target = static_cast<uint32_t>(source * (0.7 + 0.6 * random.uniform()));
  }
  return lengths;
}

std::vector<Batch> rest_of(EpochBatches& epoch) {
  std::vector<Batch> batches;
  for (Batch batch; epoch.next(batch);) batches.push_back(batch);
  return batches;
}

std::vector<Batch> all_batches(std::span<const PairLength> lengths, const BatchOptions& options,
                               uint64_t seed = 1, uint64_t epoch = 0) {
  EpochBatches batches(lengths, options, seed, epoch);
  return rest_of(batches);
}

std::vector<uint64_t> flatten(const std::vector<Batch>& batches) {
  std::vector<uint64_t> pairs;
  for (const Batch& batch : batches) pairs.insert(pairs.end(), batch.begin(), batch.end());
  return pairs;
}

void expect_each_pair_once(const std::vector<Batch>& batches, size_t pairs) {
  std::vector<uint64_t> expected(pairs);
  std::iota(expected.begin(), expected.end(), uint64_t{0});
  std::vector<uint64_t> found = flatten(batches);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  for (const Batch& batch : batches) EXPECT_FALSE(batch.empty());
}

double padding_share(std::span<const PairLength> lengths, const std::vector<Batch>& batches) {
  double words = 0;
  double padded = 0;
  for (const Batch& batch : batches) {
    const BatchShape shape = shape_of(lengths, batch);
    words += static_cast<double>(shape.source_words + shape.target_words);
    padded += static_cast<double>(shape.padded_source_words() + shape.padded_target_words());
  }
  return 1.0 - words / padded;
}

// Small windows and blocks with a rest, so that tests meet every boundary.
const BatchOptions kSmall{.words = 200, .block_pairs = 16, .window_pairs = 80};

// Whoever has prepared the data with a smaller --max-length gets the same batches.
TEST(Batches, PairsThatAreLeftOutMightAsWellNotBeThere) {
  const auto lengths = text_like(1000);
  std::vector<PairLength> kept_lengths;
  std::vector<uint64_t> kept, left_out;
  for (uint64_t i = 0; i < lengths.size(); ++i) {
    // The first and the last, neighbours, and single ones.
    const bool out = i < 3 || i == 999 || i % 7 == 0 || (i >= 500 && i < 540);
    (out ? left_out : kept).push_back(i);
    if (!out) kept_lengths.push_back(lengths[i]);
  }
  const auto among = [&](uint64_t begin, uint64_t end) {
    return static_cast<uint64_t>(
        std::ranges::count_if(kept, [&](uint64_t pair) { return pair >= begin && pair < end; }));
  };
  BatchOptions with = kSmall, without = kSmall;
  for (const bool weights : {false, true}) {
    if (weights) {
      with.corpora = {{520, 0.5}, {480, 2}};
      without.corpora = {{among(0, 520), 0.5}, {among(520, 1000), 2}};
    }
    EpochBatches epoch(lengths, with, 1, 3, left_out);
    auto expected = all_batches(kept_lengths, without, 1, 3);
    for (Batch& batch : expected) {
      for (uint64_t& pair : batch) pair = kept[pair];
    }
    EXPECT_EQ(rest_of(epoch), expected);
  }
}

TEST(Batches, EachPairIsInExactlyOneBatch) {
  const auto lengths = text_like(1003);
  for (const BatchOrder order : {BatchOrder::shuffled, BatchOrder::sorted, BatchOrder::as_given}) {
    for (const size_t block_pairs : {1, 7, 16, 1024}) {
      for (const size_t window_pairs : {0, 1, 50, 100000}) {
        BatchOptions options{.words = 200};
        options.order = order;
        options.block_pairs = block_pairs;
        options.window_pairs = window_pairs;
        expect_each_pair_once(all_batches(lengths, options), lengths.size());
      }
    }
  }
}

TEST(Batches, SeedAndEpochAloneDecideTheOrder) {
  const auto lengths = text_like(500);
  const auto batches = all_batches(lengths, kSmall, /*seed=*/1, /*epoch=*/3);
  EXPECT_EQ(all_batches(lengths, kSmall, 1, 3), batches);
  EXPECT_NE(all_batches(lengths, kSmall, 2, 3), batches);
  EXPECT_NE(all_batches(lengths, kSmall, 1, 4), batches);
}

TEST(Batches, TheOrderIsTheSameOnEveryMachine) {
  // Written down once: a change here breaks resuming from checkpoints of earlier versions.
  const std::vector<PairLength> lengths = {{3, 3}, {9, 8}, {3, 4}, {2, 2},
                                           {8, 9}, {1, 1}, {4, 4}, {30, 2}};
  const BatchOptions options{.words = 12, .block_pairs = 2, .window_pairs = 4};
  EXPECT_THAT(all_batches(lengths, options, /*seed=*/42, /*epoch=*/7),
              ElementsAre(ElementsAre(1), ElementsAre(4), ElementsAre(5, 0), ElementsAre(7),
                          ElementsAre(3, 2), ElementsAre(6)));
}

// How often each pair is in some epochs.
std::vector<int> times_in_epochs(std::span<const PairLength> lengths, const BatchOptions& options,
                                 uint64_t epochs) {
  std::vector<int> times(lengths.size());
  for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const uint64_t pair : flatten(all_batches(lengths, options, /*seed=*/1, epoch))) {
      ++times[pair];
    }
  }
  return times;
}

TEST(WeightedBatches, WholeWeightsRepeatEveryPair) {
  const auto lengths = text_like(300);
  BatchOptions options = kSmall;
  options.corpora = {
      {.pairs = 100, .weight = 3}, {.pairs = 150, .weight = 1}, {.pairs = 50, .weight = 0}};
  const auto times = times_in_epochs(lengths, options, 1);
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], i < 100 ? 3 : i < 250 ? 1 : 0) << i;
  EXPECT_EQ(EpochBatches(lengths, options, 1, 0).pairs(), 450u);
}

TEST(WeightedBatches, ACorpusOfWeightOneHasTheBatchesOfNoWeights) {
  const auto lengths = text_like(1003);
  BatchOptions options = kSmall;
  options.corpora = {{.pairs = 1003, .weight = 1}};
  options.window_pairs = 96;
  BatchOptions plain = kSmall;
  plain.window_pairs = 96;
  EXPECT_EQ(all_batches(lengths, options), all_batches(lengths, plain));
}

TEST(WeightedBatches, PartsOfACorpusTakeTurns) {
  const auto lengths = text_like(1000);
  BatchOptions options = kSmall;
  options.corpora = {{.pairs = 600, .weight = 0.25}, {.pairs = 400, .weight = 1.5}};
  const auto first = times_in_epochs(lengths, options, 1);
  EXPECT_EQ(std::accumulate(first.begin(), first.begin() + 600, 0), 150);
  EXPECT_EQ(std::accumulate(first.begin() + 600, first.end(), 0), 600);
  const auto times = times_in_epochs(lengths, options, 4);
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], i < 600 ? 1 : 6) << i;
  EXPECT_THAT(times_in_epochs(lengths, options, 3), Each(Le(5))) << "none comes much too often";
}

TEST(WeightedBatches, SeekingGoesOnWithTheSameBatches) {
  const auto lengths = text_like(500);
  BatchOptions options = kSmall;
  options.corpora = {{.pairs = 77, .weight = 2.5}, {.pairs = 423, .weight = 0.3}};
  EpochBatches whole(lengths, options, 1, 5);
  Batch batch;
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(whole.next(batch));
  EpochBatches later(lengths, options, 1, 5);
  later.seek(whole.position());
  EXPECT_EQ(later.pairs_done(), whole.pairs_done());
  EXPECT_EQ(rest_of(later), rest_of(whole));
  EXPECT_EQ(whole.pairs_done(), whole.pairs());
}

// The correlation of the places that pairs have in the file and in an epoch.
double order_correlation(const std::vector<uint64_t>& pairs) {
  const auto count = static_cast<double>(pairs.size());
  const double mean = (count - 1) / 2;
  double sum = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    sum += (static_cast<double>(i) - mean) * (static_cast<double>(pairs[i]) - mean);
  }
  return sum / (count * (count * count - 1) / 12);
}

TEST(Batches, AnEpochForgetsTheOrderOfTheFile) {
  const auto lengths = text_like(200'000);
  const BatchOptions options{.words = 4096};
  const auto batches = all_batches(lengths, options);
  const auto pairs = flatten(batches);
  // 196 blocks in random order: the standard deviation of the correlation is 1/√195 = 0.07.
  EXPECT_LT(std::abs(order_correlation(pairs)), 0.25);
  double displacement = 0, same_block = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    displacement += std::abs(static_cast<double>(i) - static_cast<double>(pairs[i]));
    if (i > 0) same_block += pairs[i] / options.block_pairs == pairs[i - 1] / options.block_pairs;
  }
  const auto count = static_cast<double>(pairs.size());
  // A third of the corpus in a random order.
  EXPECT_NEAR(displacement / count / count, 1.0 / 3, 0.05);
  // Neighbours are of the same block as often as the window has blocks of its own: here 1 of 50.
  EXPECT_LT(same_block / count, 0.05);
}

TEST(Batches, EveryBatchOfATextWithTwoHalvesHasPairsOfBoth) {
  const auto lengths = text_like(200'000);
  const auto batches = all_batches(lengths, {.words = 4096});
  double deviation = 0, counted = 0;
  for (const Batch& batch : batches) {
    if (batch.size() < 50) continue;
    const auto half = static_cast<uint64_t>(lengths.size() / 2);
    const auto of_first = std::ranges::count_if(batch, [&](uint64_t pair) { return pair < half; });
    const double share = static_cast<double>(of_first) / static_cast<double>(batch.size());
    deviation += (share - 0.5) * (share - 0.5);
    ++counted;
  }
  // Independent draws of 215 pairs would have 0.034; the 49 blocks of a window add 0.06.
  EXPECT_LT(std::sqrt(deviation / counted), 0.15);
}

TEST(Batches, EpochsPutOtherPairsTogether) {
  const auto lengths = text_like(4000);
  const BatchOptions options{.words = 200, .block_pairs = 16, .window_pairs = 400};
  const auto first = all_batches(lengths, options, 1, 0);
  std::vector<size_t> batch_of(lengths.size());
  for (size_t i = 0; i < first.size(); ++i) {
    for (const uint64_t pair : first[i]) batch_of[pair] = i;
  }
  size_t neighbours = 0;
  size_t again = 0;
  for (const Batch& batch : all_batches(lengths, options, 1, 1)) {
    for (size_t i = 1; i < batch.size(); ++i) {
      ++neighbours;
      again += batch_of[batch[i - 1]] == batch_of[batch[i]];
    }
  }
  EXPECT_LT(again * 5, neighbours);  // With ten windows a tenth of them meet in one again.
}

TEST(Batches, SeekingToAnyPositionGivesTheVeryBatchesThatFollow) {
  const auto lengths = text_like(500);
  for (const BatchOrder order : {BatchOrder::shuffled, BatchOrder::sorted, BatchOrder::as_given}) {
    BatchOptions options = kSmall;
    options.order = order;
    const auto uninterrupted = all_batches(lengths, options);
    EpochBatches epoch(lengths, options, 1, 0);
    Batch batch;
    for (size_t done = 0; done <= uninterrupted.size(); ++done) {
      EpochBatches resumed(lengths, options, 1, 0);
      resumed.seek(epoch.position());
      EXPECT_EQ(resumed.position(), epoch.position());
      EXPECT_EQ(resumed.pairs_done(), epoch.pairs_done());
      EXPECT_EQ(rest_of(resumed),
                std::vector<Batch>(uninterrupted.begin() + done, uninterrupted.end()));
      EXPECT_EQ(epoch.next(batch), done < uninterrupted.size());
    }
  }
}

TEST(Batches, SeekingBackReplaysBatches) {
  const auto lengths = text_like(500);
  EpochBatches epoch(lengths, kSmall, 1, 0);
  Batch batch;
  epoch.next(batch);
  const uint64_t start = epoch.position();
  const auto first_time = rest_of(epoch);
  epoch.seek(start);
  EXPECT_EQ(rest_of(epoch), first_time);
}

TEST(Batches, PositionsGrow) {
  const auto lengths = text_like(500);
  EpochBatches epoch(lengths, kSmall, 1, 0);
  EXPECT_EQ(epoch.position(), 0u);
  uint64_t last = 0;
  for (Batch batch; epoch.next(batch); last = epoch.position()) EXPECT_GT(epoch.position(), last);
}

TEST(Batches, APositionOfOtherDataIsRefused) {
  const auto lengths = text_like(500);
  EpochBatches long_epoch(lengths, kSmall, 1, 0);
  rest_of(long_epoch);
  EpochBatches short_epoch(std::span<const PairLength>(lengths).first(100), kSmall, 1, 0);
  try {
    short_epoch.seek(long_epoch.position());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("not those of the checkpoint"));
  }
  EXPECT_THROW(short_epoch.seek(1000), Error);  // Window 0 has fewer batches.
  EXPECT_THROW(short_epoch.seek(std::numeric_limits<uint64_t>::max()), Error);
}

TEST(Batches, PairsDoneCountsUpToAllPairs) {
  const auto lengths = text_like(500);
  EpochBatches epoch(lengths, kSmall, 1, 0);
  uint64_t pairs = 0;
  EXPECT_EQ(epoch.pairs_done(), 0u);
  for (Batch batch; epoch.next(batch);) EXPECT_EQ(epoch.pairs_done(), pairs += batch.size());
  EXPECT_EQ(pairs, 500u);
}

TEST(Batches, WordsWithPaddingStayWithinTheLimit) {
  const auto lengths = text_like(2000);
  for (const CountedSide side : {CountedSide::source, CountedSide::target, CountedSide::larger}) {
    size_t most = 0;
    for (const Batch& batch :
         all_batches(lengths, {.words = 300, .counted_side = side, .count_padding = true})) {
      const BatchShape shape = shape_of(lengths, batch);
      const size_t source = shape.padded_source_words();
      const size_t target = shape.padded_target_words();
      most = std::max(most, side == CountedSide::source   ? source
                            : side == CountedSide::target ? target
                                                          : std::max(source, target));
    }
    EXPECT_LE(most, 300u);
    EXPECT_GT(most, 270u);  // And the limit is used.
  }
}

TEST(Batches, WordsWithoutPaddingStayWithinTheLimit) {
  const auto lengths = text_like(2000);
  for (const CountedSide side : {CountedSide::source, CountedSide::target, CountedSide::larger}) {
    size_t most = 0;
    for (const Batch& batch :
         all_batches(lengths, {.words = 300, .counted_side = side, .count_padding = false})) {
      const BatchShape shape = shape_of(lengths, batch);
      most = std::max(most, side == CountedSide::source ? shape.source_words
                            : side == CountedSide::target
                                ? shape.target_words
                                : std::max(shape.source_words, shape.target_words));
    }
    EXPECT_LE(most, 300u);
    EXPECT_GT(most, 285u);
  }
}

TEST(Batches, EndMarkersCount) {
  const std::vector<PairLength> lengths(6, {4, 1});  // 5 and 2 with end markers.
  EXPECT_THAT(all_batches(lengths, {.words = 15}), Each(SizeIs(3)));
  EXPECT_THAT(all_batches(lengths, {.words = 14}), Each(SizeIs(2)));
  EXPECT_THAT(all_batches(lengths, {.words = 6, .counted_side = CountedSide::target}),
              Each(SizeIs(3)));
  const std::vector<PairLength> empty_sentences(4);
  EXPECT_THAT(all_batches(empty_sentences, {.words = 2}), Each(SizeIs(2)));
}

TEST(Batches, PairsCanBeLimitedWithOrWithoutWords) {
  const auto lengths = text_like(1000);
  EXPECT_THAT(all_batches(lengths, {.words = 300, .max_pairs = 5}), Each(SizeIs(Le(5u))));
  const auto by_pairs = all_batches(lengths, {.words = 0, .max_pairs = 10});
  EXPECT_THAT(by_pairs, SizeIs(100));
  EXPECT_THAT(by_pairs, Each(SizeIs(10)));
}

TEST(Batches, APairLongerThanABatchHasABatchOfItsOwn) {
  const uint32_t longest = std::numeric_limits<uint32_t>::max();
  const std::vector<PairLength> lengths = {{2, 2}, {50, 2}, {3, 3}, {longest, longest}, {2, 60}};
  const BatchOptions options{.words = 20, .counted_side = CountedSide::larger};
  const auto batches = all_batches(lengths, options);
  expect_each_pair_once(batches, lengths.size());
  EXPECT_THAT(batches,
              ::testing::UnorderedElementsAre(::testing::UnorderedElementsAre(0, 2), ElementsAre(1),
                                              ElementsAre(3), ElementsAre(4)));
}

TEST(Batches, NoPairsGiveNoBatches) {
  EpochBatches epoch({}, {}, 1, 0);
  Batch batch = {1, 2, 3};
  EXPECT_FALSE(epoch.next(batch));
  EXPECT_THAT(batch, IsEmpty());
  EXPECT_EQ(epoch.position(), 0u);
  epoch.seek(0);
  EXPECT_FALSE(epoch.next(batch));
  EXPECT_THROW(epoch.seek(1), Error);
}

TEST(Batches, OnePairGivesOneBatch) {
  const std::vector<PairLength> lengths = {{5, 5}};
  EXPECT_THAT(all_batches(lengths, {}), ElementsAre(ElementsAre(0)));
}

TEST(Batches, BucketingLeavesLittlePadding) {
  const auto lengths = text_like(20000);
  const auto bucketed = all_batches(lengths, {.words = 1024});
  BatchOptions random_order{.words = 1024};
  random_order.order = BatchOrder::as_given;  // The lengths are random already.
  EXPECT_LT(padding_share(lengths, bucketed), 0.05);
  EXPECT_GT(padding_share(lengths, all_batches(lengths, random_order)), 0.40);
}

TEST(Batches, ABatchReadsOnlyTheBlocksOfOneWindow) {
  const auto lengths = text_like(4096);
  const BatchOptions options{.words = 400, .block_pairs = 64, .window_pairs = 256};
  EpochBatches epoch(lengths, options, 1, 0);
  std::set<uint64_t> window_blocks;
  uint64_t pairs_in_window = 0;
  for (Batch batch; epoch.next(batch);) {
    for (const uint64_t pair : batch) window_blocks.insert(pair / 64);
    EXPECT_LE(window_blocks.size(), 4u);
    pairs_in_window += batch.size();
    if (pairs_in_window == 256) {
      pairs_in_window = 0;
      window_blocks.clear();
    }
    ASSERT_LT(pairs_in_window, 256u);
  }
}

TEST(Batches, WindowsAreDealtEvenly) {
  // 11 blocks, at most 5 in a window: 3, 4 and 4, not 5, 5 and 1.
  const std::vector<PairLength> lengths(110, {9, 9});
  const BatchOptions options{.words = 1000000, .block_pairs = 10, .window_pairs = 50};
  EXPECT_THAT(all_batches(lengths, options), ElementsAre(SizeIs(30), SizeIs(40), SizeIs(40)));
}

TEST(Batches, AsGivenKeepsTheOrder) {
  const auto lengths = text_like(500);
  BatchOptions options = kSmall;
  options.order = BatchOrder::as_given;
  std::vector<uint64_t> expected(lengths.size());
  std::iota(expected.begin(), expected.end(), uint64_t{0});
  EXPECT_EQ(flatten(all_batches(lengths, options)), expected);
}

TEST(Batches, SortedDoesNotDependOnTheSeedAndHasLittlePadding) {
  const auto lengths = text_like(5000);
  BatchOptions options{.words = 500};
  options.order = BatchOrder::sorted;
  const auto batches = all_batches(lengths, options, /*seed=*/1);
  EXPECT_EQ(all_batches(lengths, options, /*seed=*/2), batches);
  EXPECT_LT(padding_share(lengths, batches), 0.05);
}

TEST(Batches, OptionsThatSetNoLimitAreRefused) {
  const auto lengths = text_like(10);
  EXPECT_THROW(EpochBatches(lengths, {.words = 0}, 1, 0), UsageError);
  EXPECT_THROW(EpochBatches(lengths, {.block_pairs = 0}, 1, 0), UsageError);
}

TEST(BatchShape, TellsWordsAndPadding) {
  const std::vector<PairLength> lengths = {{2, 9}, {100, 100}, {4, 1}};
  const std::vector<uint64_t> pairs = {0, 2};
  const BatchShape shape = shape_of(lengths, pairs);
  EXPECT_EQ(shape.pairs, 2u);
  EXPECT_EQ(shape.source_words, 8u);
  EXPECT_EQ(shape.target_words, 12u);
  EXPECT_EQ(shape.padded_source_words(), 10u);
  EXPECT_EQ(shape.padded_target_words(), 20u);
}

}  // namespace
}  // namespace eatt
