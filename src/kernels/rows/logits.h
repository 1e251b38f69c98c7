#pragma once

#include <cstddef>
#include <cstdint>

// Rows of logits and of attention scores: softmax, the largest values, the training loss.
namespace eatt::kernels {

// log Σ exp(x) of each row of x [rows, width]; −∞ for a row that is empty or all −∞, NaN if it
// contains NaN.
void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out) noexcept;

// softmax of each row; out may be x. A row that is all −∞ becomes zeros.
void softmax_rows(const float* x, size_t rows, size_t width, float* out) noexcept;

struct TopValue {
  float value;
  int32_t index;
};

// The `count` largest values of x [size], in descending order, equal ones by index; NaN and −∞ are
// never among them. Returns how many there are.
size_t top_values(const float* x, size_t size, size_t count, TopValue* out) noexcept;

// Cross-entropy against (1−ε)·(the label) + ε·(the uniform distribution). Of the size of the
// logits, only their gradient is stored.
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
void smoothed_cross_entropy(const LabelledLogits& rows, RowLoss* losses, float* log_sums) noexcept;

// gradient [rows, vocab] = scale · (softmax(logits) − target); may be the logits themselves.
void smoothed_cross_entropy_backward(const LabelledLogits& rows, const float* log_sums, float scale,
                                     float* gradient) noexcept;

}  // namespace eatt::kernels
