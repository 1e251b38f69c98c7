#pragma once

#include <cstdint>
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
