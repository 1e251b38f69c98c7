#pragma once

#include <cstddef>
#include <cstdint>

namespace eatt::kernels {

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
