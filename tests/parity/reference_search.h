#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/transformer.h"

namespace eatt {

struct GreedyOptions {
  int64_t batch_words = 1500;  // Source pieces computed at a time.
  // A translation ends after factor · source + extra pieces, or at the model's longest sentence.
  double length_factor = 2;
  int64_t length_extra = 10;
};

struct GreedyTranslation {
  std::vector<int32_t> pieces;  // Without markers.
  double log_probability = 0;   // End marker included, if it was reached.
};

// The best piece at every step; padding, start and unknown are never chosen. Translations come in
// the order of the sources, which are without markers. The model should be in eval mode.
std::vector<GreedyTranslation> greedy_search(Transformer& model,
                                             std::span<const std::vector<int32_t>> sources,
                                             const GreedyOptions& options = {});

}  // namespace eatt
