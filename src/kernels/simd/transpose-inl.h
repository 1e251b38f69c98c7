// Transposition of float matrices.
#include <hwy/highway.h>

#include <cstddef>

#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_TRANSPOSE_INL_H_
#undef EATT_KERNELS_TRANSPOSE_INL_H_
#else
#define EATT_KERNELS_TRANSPOSE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Four numbers of each of the rows i, i + 4, i + 8, … as the 128-bit blocks of a vector. row(i)
// points to them.
template <class Row>
HWY_INLINE FloatVec load_every_fourth_row(const Row& row, size_t i) {
  const hn::Full128<float> quad;
  const auto low = hn::LoadU(quad, row(i));
#if HWY_MAX_BYTES == 16
  return low;
#else
  const hn::Full256<float> oct;
  const auto low_pair = hn::Combine(oct, hn::LoadU(quad, row(i + 4)), low);
#if HWY_MAX_BYTES == 32
  return low_pair;
#else
  const auto high_pair =
      hn::Combine(oct, hn::LoadU(quad, row(i + 12)), hn::LoadU(quad, row(i + 8)));
  return hn::Combine(FloatTag(), high_pair, low_pair);
#endif
#endif
}

// to [4, kLanes] = (rows [kLanes, 4])ᵀ, row i from row(i) on.
template <class Row>
HWY_INLINE void transpose_strip(const Row& row_at, float* to, size_t to_stride) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> d64;
  FloatVec rows[4];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    rows[i] = load_every_fourth_row(row_at, i);
  }
  const auto low_01 = hn::BitCast(d64, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto low_23 = hn::BitCast(d64, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high_01 = hn::BitCast(d64, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto high_23 = hn::BitCast(d64, hn::InterleaveUpper(d, rows[2], rows[3]));
  const FloatVec columns[4] = {hn::BitCast(d, hn::InterleaveLower(d64, low_01, low_23)),
                               hn::BitCast(d, hn::InterleaveUpper(d64, low_01, low_23)),
                               hn::BitCast(d, hn::InterleaveLower(d64, high_01, high_23)),
                               hn::BitCast(d, hn::InterleaveUpper(d64, high_01, high_23))};
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    hn::StoreU(columns[i], d, to + i * to_stride);
  }
}

HWY_INLINE void transpose_strip(const float* from, size_t from_stride, float* to,
                                size_t to_stride) {
  transpose_strip([=](size_t i) HWY_ATTR { return from + i * from_stride; }, to, to_stride);
}
#endif

HWY_INLINE void transpose_one_by_one(const float* from, size_t from_stride, size_t rows,
                                     size_t columns, float* to, size_t to_stride) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      to[c * to_stride + r] = from[r * from_stride + c];
    }
  }
}

// to [columns, rows] = (from [rows, columns])ᵀ; strides are in floats.
HWY_INLINE void transpose(const float* from, size_t from_stride, size_t rows, size_t columns,
                          float* to, size_t to_stride) {
  constexpr size_t kLine = 16;  // A cache line; all of it is used while it is cached.
  for (size_t first = 0; first < columns; first += kLine, from += kLine, to += kLine * to_stride) {
    const size_t width = HWY_MIN(kLine, columns - first);
    size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; r + kLanes <= rows; r += kLanes) {
      const float* strips = from + r * from_stride;
      size_t c = 0;
      for (; c + 4 <= width; c += 4) {
        transpose_strip(strips + c, from_stride, to + c * to_stride + r, to_stride);
      }
      transpose_one_by_one(strips + c, from_stride, kLanes, width - c, to + c * to_stride + r,
                           to_stride);
    }
#endif
    transpose_one_by_one(from + r * from_stride, from_stride, rows - r, width, to + r, to_stride);
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
