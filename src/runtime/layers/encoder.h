#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/layers/model.h"
#include "runtime/layers/scratch.h"

namespace eatt {

// Sentences one after another, without padding.
struct SourceRows {
  std::vector<int32_t> pieces;       // Each sentence's end marker included.
  std::vector<size_t> starts = {0};  // Sentence i has rows starts[i] … starts[i+1] − 1.

  size_t sentences() const { return starts.size() - 1; }
  size_t rows() const { return pieces.size(); }
  size_t length(size_t sentence) const { return starts[sentence + 1] - starts[sentence]; }
  size_t longest() const;
};

// x [rows, model_dim]: what the decoder reads. positions [longest, model_dim].
void encode(const Model& model, const SourceRows& source, const float* positions, float* x,
            Scratch& scratch);

}  // namespace eatt
