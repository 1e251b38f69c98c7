// What the forward and the backward pass of attention share.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/attention/attention.h"
#include "kernels/attention/mix_rows-inl.h"
#include "kernels/attention/score_tiles-inl.h"
#include "kernels/simd/dropout-inl.h"
#include "kernels/simd/softmax-inl.h"

#ifndef EATT_KERNELS_SCRATCH_SIZES_  // Shared by all instruction sets.
#define EATT_KERNELS_SCRATCH_SIZES_
namespace eatt::kernels {

// Scratch memory is sized for the widest instruction set, whichever runs.
inline constexpr size_t kMostLanes = 16;  // Floats per vector.
inline constexpr size_t kMostRows = 8;    // Rows per tile.
inline constexpr size_t kAlignment = 16;  // Floats in a cache line.

inline constexpr size_t padded(size_t n) { return (n + kMostLanes - 1) / kMostLanes * kMostLanes; }

}  // namespace eatt::kernels
#endif

#if defined(EATT_KERNELS_ATTENTION_PARTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_ATTENTION_PARTS_INL_H_
#undef EATT_KERNELS_ATTENTION_PARTS_INL_H_
#else
#define EATT_KERNELS_ATTENTION_PARTS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Divides the caller's scratch memory into parts that start at a cache line: a vector that
// straddles two lines takes twice as long to load. At most kAlignment floats are lost.
class ScratchParts {
 public:
  explicit ScratchParts(float* scratch) {
    const auto address = reinterpret_cast<uintptr_t>(scratch);
    constexpr uintptr_t kLine = kAlignment * sizeof(float);
    next_ = scratch + (kLine - address % kLine) % kLine / sizeof(float);
  }
  float* take(size_t size) {
    float* part = next_;
    next_ += round_up(size, kAlignment);
    return part;
  }

 private:
  float* next_;
};

// One head of the batch, and which keys its queries see.
struct HeadPlace {
  HeadPlace(const Attention& a, size_t number)
      : attention(a),
        b(number / a.heads),
        h(number % a.heads),
        row(number * a.query_len),
        keys(a.key_lengths != nullptr ? static_cast<size_t>(a.key_lengths[b]) : a.key_len) {}

  // Keys that query i sees.
  size_t visible(size_t i) const { return attention.causal && i + 1 < keys ? i + 1 : keys; }
  // The dropout hash of query i.
  DropoutRow dropout(size_t i) const { return dropout_row(attention.dropout.seed, row + i); }

  const Attention& attention;
  size_t b, h;
  size_t row;   // Index of the head's first query among the queries of all heads.
  size_t keys;  // Without padding.
};

// Keys of one head, packed for score_rows.
struct PackedKeys {
  float* panels;
  float* starts;
};

template <ScoreKind kKind>
HWY_INLINE void pack_keys(const float* keys, size_t stride, size_t count, size_t dim,
                          const PackedKeys& packed) {
  pack_panels(keys, stride, count, dim, packed.panels);
  if (kKind == ScoreKind::l1)
    half_sums(packed.panels, (count + kLanes - 1) / kLanes, dim, packed.starts);
}

// x in the first n lanes, `other` in the rest.
HWY_INLINE FloatVec first_lanes(FloatTag d, size_t n, FloatVec x, FloatVec other) {
  return n >= kLanes ? x : hn::IfThenElse(hn::FirstN(d, n), x, other);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
