#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace eatt::kernels {

// Layer norm: out = (x − mean) / √(variance + ε) · gain + bias, row by row.
struct LayerNormRows {
  const float* x;  // [rows, width]
  size_t rows, width;
  const float* gain;  // [width]
  const float* bias;  // [width]; unused by the backward pass.
  float epsilon;
};

// Statistics of each row, for the backward pass.
struct RowMoments {
  float* mean;               // [rows]
  float* inverse_deviation;  // [rows], 1 / √(variance + ε)
};

// out may be x.
void layer_norm(const LayerNormRows& rows, float* out, const RowMoments& moments) noexcept;

struct LayerNormGradients {
  float* x;     // [rows, width], written; may be `incoming`.
  float* gain;  // [width], added to
  float* bias;  // [width], added to
};

// incoming [rows, width]: the gradient of out.
void layer_norm_backward(const LayerNormRows& rows, const RowMoments& moments,
                         const float* incoming, const LayerNormGradients& gradients) noexcept;

// The steps of an optimizer over long rows of parameters, each in one pass over memory.

// Σ x², summed in double.
double squared_norm(const float* x, size_t size) noexcept;

// to += from; returns Σ to² of the result, summed in double.
double add_row(const float* from, size_t size, float* to) noexcept;

struct AdamNumbers {
  float gradient_scale;  // Gradients are multiplied by it first; below 1 when they are clipped.
  float keep1, new1;     // β₁ and 1 − β₁, the weights of the old first moment and of g.
  float keep2, new2;     // β₂ and 1 − β₂, for the second moment.
  float epsilon;
  float step_size;     // Learning rate over the first bias correction.
  float inverse_root;  // 1 / √ of the second bias correction.
};

struct AdamRows {
  float* first_moment;
  float* second_moment;
  float* values;
};

// One update of moments and values.
void adam_update(const AdamNumbers& numbers, const float* gradients, size_t size,
                 const AdamRows& rows) noexcept;

// Rows of logits and of attention scores: softmax, the largest values, the training loss.

// log Σ exp(x) of each row of x [rows, width]; −∞ for a row that is empty or all −∞, NaN if it
// contains NaN. Each part of kRowPart columns is summed in floats, relative to its own largest, and
// the parts are added in double, from left to right: a row that is computed part by part has the
// same sum to the last bit.
inline constexpr size_t kRowPart = 512;
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

// What a search needs of a row that comes in blocks of columns, none of which has to be kept.
struct RowSummary {
  size_t first = 0;          // Columns before this one are not searched for the best.
  size_t capacity = 0;       // How many of the best to find.
  TopValue* best = nullptr;  // [capacity]: the best so far, as top_values() gives them.
  size_t found = 0;
  bool sums = true;  // Whether log_sum() is wanted; else it is the largest number.
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;  // Σ exp(x − largest); of a row whose sum is not wanted, NaN if it contains NaN.

  float log_sum() const;  // That of log_sum_exp_rows() once all columns were added.
};

// Adds columns [column, column + size) to the summary of each of the rows, which are x_stride
// floats apart. Blocks come from left to right; all but the last are multiples of kRowPart.
void add_columns(const float* x, size_t x_stride, size_t column, size_t size, RowSummary* summaries,
                 size_t rows) noexcept;

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

// Word-level distillation: (1−w) · the smoothed cross-entropy above + w · T² · the cross-entropy of
// softmax(logits / T) against softmax(taught / T).
struct Teaching {
  double weight;       // w
  double temperature;  // T; T² keeps the size of the gradient.
};

// Loss of each row, its `smoothed` the sum above; then the logits become its gradient. `taught`
// [rows, vocab] is overwritten.
void taught_cross_entropy(const LabelledLogits& rows, const Teaching& teaching, float* logits,
                          float* taught, RowLoss* losses) noexcept;

// Dropout whose mask is never stored: a hash of its index and of a seed decides whether an element
// is kept, so the backward pass computes the same mask again. The mask is the same on every
// instruction set and does not depend on how a tensor is split among threads.

// A rate in terms of the hash.
struct DropoutRate {
  int32_t threshold;  // An element is kept if its hash, as a signed number, is greater.
  float scale;        // 1 / (1 − rate), for elements that are kept.
};

// For 0 < rate < 1, accurate to 2⁻³².
DropoutRate dropout_rate(double rate) noexcept;

// The part of a hash that all elements of a row share: a row has at most 2³² of them.
struct DropoutRow {
  uint32_t offset;  // Added to the element's index in the row.
  uint32_t key;     // Added half-way, so that rows with overlapping offsets differ too.
};

DropoutRow dropout_row(uint64_t seed, uint64_t row) noexcept;

// The elements of a long tensor are numbered within blocks of this size, which are its "rows". A
// row of attention weights, which is never longer, is a row of its own.
inline constexpr uint64_t kDropoutBlock = uint64_t{1} << 16;

// A mask over a long tensor.
struct Dropout {
  DropoutRate rate;
  uint64_t seed;
};

// out = x · scale where the element is kept, else 0. `first` is the index of x[0] in its tensor;
// out may be x.
void drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out) noexcept;

// The steps between the matrix products of a layer, each in one pass. `first` is the index of the
// first element in its tensor, as in drop(). Outputs may be any of the inputs.

// out = x + drop(delta). The gradient of x is the incoming one, that of delta is drop() of it with
// the same seed.
void add_dropped(const float* x, const float* delta, size_t size, const Dropout& dropout,
                 uint64_t first, float* out) noexcept;

// The hidden units of a feed-forward layer, [rows, width].
struct HiddenRows {
  size_t rows, width;
  const float* bias;       // [width]
  const Dropout* dropout;  // Null: no dropout.
  uint64_t first;          // Index of the first element, as above.
};

// x = drop(relu(x + bias)), in place; NaN stays NaN.
void bias_relu_drop(const HiddenRows& hidden, float* x) noexcept;

// gradient = the gradient of x, given `incoming`, the gradient of the result `out`: it is scaled,
// and 0 where `out` is 0. Its sums over the rows are added to bias_gradient [width].
void bias_relu_drop_backward(const HiddenRows& hidden, const float* out, const float* incoming,
                             float* gradient, float* bias_gradient) noexcept;

}  // namespace eatt::kernels
