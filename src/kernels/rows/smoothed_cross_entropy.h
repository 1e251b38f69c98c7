#pragma once

#include <cstddef>
#include <cstdint>

namespace eatt::kernels {

// Cross-entropy against (1−ε)·[the label] + ε·[all words alike]. Nothing of the size of the logits
// is stored but their gradient.
struct LabelledLogits {
  const float* logits;    // [rows, vocab]
  const int64_t* labels;  // [rows], each from 0 to vocab − 1
  size_t rows, vocab;
  double smoothing;  // ε
};

struct RowLoss {
  double smoothed;
  double likelihood;  // −log p(label), without smoothing
};

// losses [rows]; log_sums [rows], log Σ exp(logits), is what the backward pass needs.
void smoothed_cross_entropy(const LabelledLogits& rows, RowLoss* losses, float* log_sums);

// gradient [rows, vocab] = scale · (softmax(logits) − target); may be the logits themselves.
void smoothed_cross_entropy_backward(const LabelledLogits& rows, const float* log_sums, float scale,
                                     float* gradient);

}  // namespace eatt::kernels
