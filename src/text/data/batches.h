#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "text/data/data_set.h"
#include "text/data/data_set_format.h"

namespace eatt {

enum class BatchOrder {
  shuffled,  // For training: another order in every epoch.
  sorted,    // For validation: pairs of similar length together, for any seed.
  as_given,  // Consecutive pairs.
};

enum class CountedSide {
  source,
  target,
  larger,  // The side that has more of them, chosen for each batch.
};

// Consecutive pairs, and how often an epoch has each of them: 1 is once; 3 is three times; 0.25 a
// quarter of them, another one in each of four epochs; 0 never.
struct SampledCorpus {
  uint64_t pairs = 0;
  double weight = 1;
};

struct BatchOptions {
  // Maximum of pieces in a batch, an end marker for each sentence included; 0: no limit.
  size_t words = 4096;
  CountedSide counted_side = CountedSide::source;  // Whose pieces `words` limits.
  // Whether padding up to the longest sentence counts, which bounds the computation.
  bool count_padding = true;
  size_t max_pairs = 0;  // 0: no limit. One of the two limits must be set.

  BatchOrder order = BatchOrder::shuffled;
  // Consecutive pairs that are drawn together: bounds how often a disk must seek.
  size_t block_pairs = 1024;
  // Pairs that are sorted at a time, but at least a block; 0: as many as make about 256 batches,
  // and at most a million.
  size_t window_pairs = 0;
  // Together as many pairs as there are lengths; none: all pairs are one corpus of weight 1.
  std::vector<SampledCorpus> corpora = {};
};

// The lengths of a corpus, of which some pairs are left out. The others are numbered from 0 as if
// those were not there, so that their batches are the same, too.
struct KeptPairs {
  std::span<const PairLength> lengths;
  std::span<const uint64_t> left_out;  // Their places in `lengths`, ascending.

  size_t size() const { return lengths.size() - left_out.size(); }
  // The place in `lengths` of the pair with number i.
  uint64_t place(uint64_t i) const;
};

// The batches of one epoch over a corpus, determined by the lengths, the options, the seed and
// the number of the epoch alone. Each pair is in exactly one batch, unless its corpus has another
// weight; a pair longer than `words` has a batch of its own.
//
// Blocks of consecutive pairs are drawn in random order into windows. Inside a window, pairs are
// sorted by length (the longer side first, then the difference of the two sides, equals at
// random), cut into batches where the next pair would not fit, and the batches shuffled. So a batch
// has little padding and reads few places of the corpus; memory is 16 bytes for each pair of one
// window and 24 for each block. The lengths are read once in an epoch, window by window, and may be
// a mapped file. docs/corpora.md says how well this mixes.
//
// Weights: a block of n pairs from a corpus of weight w has its own fixed order, chosen by the
// seed, that is gone through again and again; after e epochs it has given ⌊w·n·e⌋ pairs. So after
// any number of epochs no pair of a block was used more than once more often than another. What is
// more than once through the block in an epoch is drawn separately, and meets other blocks.
//
// Share of padding in all that is computed, both sides, at 4,096 source words (batches_bench; words
// between white space): Multi30k 2.9 % against 53 % for random batches, IWSLT'15 En-Vi 5.7 %
// against 70 %.
class EpochBatches {
 public:
  // Keeps the spans, not what they hold. The options count the pairs of `left_out` (ascending)
  // among those of their corpora. Throws a UsageError if the options contradict themselves.
  EpochBatches(std::span<const PairLength> lengths, const BatchOptions& options, uint64_t seed,
               uint64_t epoch, std::span<const uint64_t> left_out = {});

  // The next batch as places of pairs in the lengths, or false at the end of the epoch.
  bool next(std::vector<uint64_t>& pairs);

  // Where the next batch is taken from, for a checkpoint. seek() to it in an EpochBatches of equal
  // lengths, options, seed and epoch, and the same batches follow; it plans one window, not the
  // batches before. Positions grow from batch to batch but not by one.
  uint64_t position() const;
  // Throws an Error if there is no such position: the data or the options have changed.
  void seek(uint64_t position);

  // Of all batches of this epoch.
  uint64_t pairs() const { return pairs_in_epoch_; }
  // Pairs of the batches before position(); pairs() at the end of the epoch.
  uint64_t pairs_done() const { return pairs_done_; }

 private:
  struct Entry {
    uint64_t key;  // Sorts pairs of similar length together.
    uint64_t pair;
  };
  struct Batch {
    size_t begin;  // In window_.
    size_t end;
  };
  // Pairs of a block that are drawn together.
  struct Draw {
    uint64_t first;  // Number of the block's first pair, among those that are kept,
    uint32_t size;   // and pairs in it.
    uint32_t begin;  // The place in the block's own order to begin at,
    uint32_t count;  // and pairs from there; at the end of the order it starts again.
  };

  bool window_is_used_up() const;
  void plan_draws(uint64_t epoch);
  void add_draws(uint64_t first, uint32_t size, double weight, uint64_t epoch);
  std::span<const Draw> draws_of_window(size_t window) const;
  std::vector<uint64_t> pairs_of(const Draw& draw) const;  // Their numbers, ascending.
  void enter_window(size_t window);  // Plans it, unless it is the end of the epoch.
  void gather(Random& random);
  void cut();

  KeptPairs kept_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_seed_;
  std::vector<Draw> draws_;
  uint64_t pairs_in_epoch_ = 0;
  size_t windows_ = 0;

  size_t window_index_ = 0;  // windows_ at the end of the epoch.
  size_t batch_index_ = 0;   // In batches_.
  std::vector<Entry> window_;
  std::vector<Batch> batches_;
  uint64_t pairs_done_ = 0;
};

// The pairs with more than `max_length` pieces on a side, ascending; 8 bytes for each of them.
std::vector<uint64_t> pairs_longer_than(const DataSet& data, int64_t max_length);

// The batches of epoch after epoch, without end. Its position is two numbers, which a checkpoint
// stores. Releases pages of the data set when many are in memory: of pairs that were read, too.
class BatchStream {
 public:
  // Longer pairs than `max_length` are left out. Throws an Error if no pair is left.
  BatchStream(const DataSet& data, const BatchOptions& options, uint64_t seed,
              int64_t max_length = std::numeric_limits<int64_t>::max());
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  // Indices of the next batch's pairs.
  const std::vector<uint64_t>& next();

  size_t pairs_in_epoch() const { return batches_->pairs(); }  // In the current one.
  uint64_t epoch() const { return epoch_; }                    // Epochs that have been used up.
  uint64_t position() const { return batches_->position(); }
  // Share of the current epoch that is done.
  double progress() const;
  // Throws an Error if the data or the options have changed so that there is no such position.
  void seek(uint64_t epoch, uint64_t position);

 private:
  void begin_epoch(uint64_t epoch);
  void release_pages_sometimes();

  const DataSet& data_;
  const std::vector<uint64_t> left_out_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  std::unique_ptr<EpochBatches> batches_;
  std::vector<uint64_t> pairs_;
  // Since pages of the data set were released: pairs, and bytes of files that stayed in memory.
  uint64_t pairs_since_release_ = 0;
  uint64_t resident_after_release_ = 0;
};

// What a batch costs and what of it is padding; end markers included.
struct BatchShape {
  size_t pairs = 0;
  size_t source_words = 0;
  size_t target_words = 0;
  size_t longest_source = 0;
  size_t longest_target = 0;

  size_t padded_source_words() const { return pairs * longest_source; }
  size_t padded_target_words() const { return pairs * longest_target; }
  void add(PairLength length);
};
BatchShape shape_of(std::span<const PairLength> lengths, std::span<const uint64_t> pairs);

}  // namespace eatt
