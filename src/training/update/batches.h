#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/transformer.h"
#include "text/data/batches.h"
#include "text/data/data_set.h"
#include "training/options/training_options.h"

namespace eatt {

// How a training cuts its data into batches. Throws a UsageError if --corpus-weights does not fit
// the corpora that the data set was made of.
BatchOptions batch_options(const TrainingOptions& options, const DataSet& data);

// The pairs of a data set that have at most `max_length` pieces on either side. Numbered as they
// would be in a data set without the others, so that their batches are the same too.
class ShortPairs {
 public:
  ShortPairs(const DataSet& data, int64_t max_length);

  std::span<const PairLength> lengths() const { return lengths_; }
  // The number in the data set.
  uint64_t pair(uint64_t i) const;
  // The same corpora of a data set, with their numbers of short pairs.
  std::vector<SampledCorpus> without_long(std::vector<SampledCorpus> corpora) const;

 private:
  std::vector<uint64_t> long_pairs_;  // Those left out, by their numbers in the data set.
  // Empty if no pair is too long: 20 million pairs would take 160 MB.
  std::vector<PairLength> kept_lengths_;
  std::span<const PairLength> lengths_;
};

// The batches of epoch after epoch, without end. Its position is two numbers, which a checkpoint
// stores.
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

  const DataSet& data_set_;
  const ShortPairs data_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  std::unique_ptr<EpochBatches> batches_;
  std::vector<uint64_t> pairs_;
  uint64_t pairs_since_release_ = 0;  // Read since pages of the data set were given back.
};

// A sentence and its translation as piece ids, without markers.
struct PiecePair {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
  // Word links spread over pieces, for guided alignment, and one between the end markers, which
  // come after the pieces; empty if the data has none.
  std::vector<PieceLink> links = {};
};

// Where the attention of a batch should be, as far as links tell. In each target row that has
// links, all linked source positions share it alike.
struct AlignmentGuide {
  torch::Tensor places;  // [links]: in attention [batch, target_len, source_len].flatten()
  torch::Tensor shares;  // [links]; those of a row add up to 1
  int64_t rows = 0;      // Target positions that have links.
};

// What one forward and backward pass reads.
struct TrainingBatch {
  TokenBatch source;         // Each sentence ends with the end marker.
  TokenBatch target;         // Each begins with the start marker: what the decoder is fed.
  torch::Tensor places;      // [words]: where in target.tokens.flatten() a word has to be predicted
  torch::Tensor labels;      // [words]: the word there, end markers included
  int64_t source_words = 0;  // End markers included, padding not.
  std::optional<AlignmentGuide> guide;  // If a pair has links.

  int64_t words() const { return labels.numel(); }
};

TrainingBatch make_batch(std::span<const PiecePair> pairs, torch::Device device = torch::kCPU);

// Source sentences alone, as the encoder reads them.
TokenBatch make_source_batch(std::span<const std::vector<int32_t>> sentences,
                             torch::Device device = torch::kCPU);

std::vector<PiecePair> read_pairs(const DataSet& data, std::span<const uint64_t> indices);

}  // namespace eatt
