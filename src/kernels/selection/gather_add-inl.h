// Sums of selected rows of a panel of floats: the core of the selection and of its gradient.
#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#include "kernels/selection/selection_codes.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_GATHER_ADD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_GATHER_ADD_INL_H_
#undef EATT_KERNELS_GATHER_ADD_INL_H_
#else
#define EATT_KERNELS_GATHER_ADD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Columns of a panel. A block of it, 128 × 64 floats, takes 32 KB.
inline constexpr size_t kPanel = 64;

// An addition takes about four cycles and two can start in each, so eight sums must be in
// flight. Wide vectors need fewer to cover the panel and keep two of each, for even and odd
// entries.
inline constexpr size_t kSums = 8;
inline constexpr size_t kVectors = HWY_MIN(kSums, kPanel / kLanes);
inline constexpr size_t kCopies = kSums / kVectors;
inline constexpr size_t kGroup = kVectors * kLanes;  // Columns that are summed at once.

template <bool subtract>
HWY_INLINE FloatVec joined(FloatVec sum, FloatVec x) {
  return subtract ? hn::Sub(sum, x) : hn::Add(sum, x);
}

// to [kGroup] = start [kGroup] ± the sum of the rows of block [128, 64] that the list names.
template <bool subtract>
HWY_INLINE void gather_add_group(const float* HWY_RESTRICT block, const uint8_t* HWY_RESTRICT list,
                                 size_t count, const float* start, float* to) {
  const FloatTag d;
  FloatVec sums[kCopies][kVectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) {
    sums[0][v] = hn::LoadU(d, start + v * kLanes);
    if (kCopies > 1) sums[kCopies - 1][v] = hn::Zero(d);
  }
  size_t i = 0;
  for (; i + kCopies <= count; i += kCopies) {
#pragma GCC unroll 2
    for (size_t copy = 0; copy < kCopies; ++copy) {
      const float* row = block + list[i + copy] * kPanel;
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        sums[copy][v] = joined<subtract>(sums[copy][v], hn::LoadU(d, row + v * kLanes));
      }
    }
  }
  if (i < count) {
    const float* row = block + list[i] * kPanel;
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      sums[0][v] = joined<subtract>(sums[0][v], hn::LoadU(d, row + v * kLanes));
    }
  }
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) {
    const FloatVec sum = kCopies > 1 ? hn::Add(sums[0][v], sums[kCopies - 1][v]) : sums[0][v];
    hn::StoreU(sum, d, to + v * kLanes);
  }
}

// The block that comes next: `rows` rows of 64 floats, `stride` apart. It is prefetched into the L2
// cache while another is in use, a little with each row of the result.
struct NextBlock {
  const float* from = nullptr;
  size_t stride = 0;
  size_t rows = 0;
};

class Prefetcher {
 public:
  Prefetcher(const NextBlock& next, size_t steps) : next_(next), left_(next.rows), steps_(steps) {}

  // Call this `steps` times. With few steps some rows are left to the hardware: it can only have a
  // limited number of prefetches in flight.
  HWY_INLINE void step() {
    constexpr size_t kMost = 4;
    for (due_ += HWY_MIN(next_.rows, kMost * steps_); due_ >= steps_ && left_ > 0; --left_) {
      due_ -= steps_;
#pragma GCC unroll 4
      for (size_t line = 0; line < kPanel; line += 16) {
        __builtin_prefetch(next_.from + line, /*rw=*/0, /*locality=*/2);
      }
      next_.from += next_.stride;
    }
  }

 private:
  NextBlock next_;
  size_t left_;
  size_t steps_;
  size_t due_ = 0;
};

// For each row: result [row, 64] = start ± the sum of the rows of block [128, 64] that its list
// names. start is `first` [64] for all rows or, if `first` is null, the result so far.
template <bool subtract>
HWY_INLINE void gather_add_panel(const float* block, const uint8_t* lists, const uint8_t* counts,
                                 size_t rows, const float* first, const NextBlock& next,
                                 float* result, size_t stride) {
  Prefetcher prefetcher(next, rows);
  for (size_t row = 0; row < rows; ++row, result += stride, lists += kCodeBlock) {
    prefetcher.step();
    const float* start = first == nullptr ? result : first;
#pragma GCC unroll 1
    for (size_t column = 0; column < kPanel; column += kGroup) {
      gather_add_group<subtract>(block + column, lists, counts[row], start + column,
                                 result + column);
    }
  }
}

// The same for the last panel of a matrix, where only `columns` ≤ 64 of the result exist.
template <bool subtract>
HWY_INLINE void gather_add_narrow(const float* block, const uint8_t* lists, const uint8_t* counts,
                                  size_t rows, size_t columns, const float* first, float* result,
                                  size_t stride) {
  HWY_ALIGN float padded[kPanel] = {};
  for (size_t row = 0; row < rows; ++row, result += stride, lists += kCodeBlock) {
    std::memcpy(padded, result, columns * sizeof(float));
    gather_add_panel<subtract>(block, lists, counts + row, 1, first, {}, padded, kPanel);
    std::memcpy(result, padded, columns * sizeof(float));
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
