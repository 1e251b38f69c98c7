#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model_types.h"
#include "text/data/data_set.h"

namespace eatt {

// A sentence and its translation as piece ids, without markers.
struct PiecePair {
  std::vector<int32_t> source;
  std::vector<int32_t> target;
};

// What one forward and backward pass reads.
struct TrainingBatch {
  TokenBatch source;         // Each sentence ends with the end marker.
  TokenBatch target;         // Each begins with the start marker: what the decoder is fed.
  torch::Tensor places;      // [words]: where in target.tokens.flatten() a word has to be predicted
  torch::Tensor labels;      // [words]: the word there, end markers included
  int64_t source_words = 0;  // End markers included, padding not.

  int64_t words() const { return labels.numel(); }
};

TrainingBatch make_batch(std::span<const PiecePair> pairs, torch::Device device = torch::kCPU);

// Source sentences alone, as the encoder reads them.
TokenBatch make_source_batch(std::span<const std::vector<int32_t>> sentences,
                             torch::Device device = torch::kCPU);

std::vector<PiecePair> read_pairs(const DataSet& data, std::span<const uint64_t> indices);

}  // namespace eatt
