#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/layers/weights.h"

namespace eatt {

struct LinearInput;

// Scores before their softmax, [heads, query_len, key_len].
struct ObservedScores {
  const float* scores;
  size_t heads, query_len, key_len;
};

// Sees what the steps of a model compute, as they compute it: to record it and to check it. Weights
// are those of the Model, so that their address tells which they are. What pointers point to is
// valid during the call.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  // x [rows, model_dim]: what a sub-layer will add its change to, told by the norm of the
  // sub-layer; or what the last norm of a stack reads.
  virtual void residual(const Norm& norm, std::span<const float> x) = 0;
  // y [input.rows, outputs(linear)], after its activation.
  virtual void product(const Linear& linear, const LinearInput& input,
                       kernels::Activation activation, const float* y) = 0;
  // Queries or keys or both, as whole numbers: y [rows, weights.out].
  virtual void selected(const SelectionWeights& weights, size_t rows, const int16_t* y) = 0;
  // Of a sentence (encoder), or of the next position of a row (decoder).
  virtual void scores(const AttentionWeights& attention, const ObservedScores& scores) = 0;
};

}  // namespace eatt
