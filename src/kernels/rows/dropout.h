#pragma once

#include <cstddef>
#include <cstdint>

namespace eatt::kernels {

// Dropout whose mask is never stored: whether an element is kept is a hash of its number and of a
// seed, so the backward pass finds the same mask again. The mask is the same on every instruction
// set and does not depend on how a tensor is split among threads.

// What a rate means to the hash.
struct DropoutRate {
  int32_t threshold;  // An element is kept if its hash, as a signed number, is above.
  float scale;        // 1 / (1 − rate), for what is kept.
};

// 0 < rate < 1, met to 2⁻³².
DropoutRate dropout_rate(double rate);

// The part of a hash that all elements of a row share: a row has at most 2³² of them.
struct DropoutRow {
  uint32_t offset;  // Added to the element's number in the row.
  uint32_t key;     // Added half-way, so that rows whose numbers overlap differ too.
};

DropoutRow dropout_row(uint64_t seed, uint64_t row);

// The elements of a long tensor are numbered within blocks of this size, which are its "rows". A
// row of attention weights, which is never longer, is a row of its own.
inline constexpr uint64_t kDropoutBlock = uint64_t{1} << 16;

// A mask over a long tensor.
struct Dropout {
  DropoutRate rate;
  uint64_t seed;
};

// out = x · scale where the element is kept, else 0. `first` is the number of x[0] in its tensor;
// out may be x.
void drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out);

}  // namespace eatt::kernels
