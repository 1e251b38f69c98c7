// Weighted sums of rows: attention weights times values, and the transposed product of its
// gradient.
#include <hwy/highway.h>

#include <cstddef>

#if defined(EATT_KERNELS_MIX_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_MIX_ROWS_INL_H_
#undef EATT_KERNELS_MIX_ROWS_INL_H_
#else
#define EATT_KERNELS_MIX_ROWS_INL_H_
#endif

#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// A block of attention weights [kRows, count].
struct WeightBlock {
  const float* weights;
  size_t stride;
  size_t count;
};

template <size_t kRows, size_t kVectors>
HWY_INLINE void mix_tile(const WeightBlock& block, const float* rows, size_t padded,
                         FloatVec (&sums)[kRows][kVectors]) {
  const FloatTag d;
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const float* weight[kRows];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) weight[r] = block.weights + r * block.stride;
  for (size_t j = 0; j < block.count; ++j, rows += padded) {
    FloatVec row[kVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, rows + v * kLanes);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const auto w = hn::Set(d, weight[r][j]);
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(w, row[v], sums[r][v]);
    }
  }
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void mix_columns(const WeightBlock& block, const float* rows, size_t padded,
                            const float* scale, size_t dim, float* out, size_t out_stride) {
  const FloatTag d;
  FloatVec sums[kRows][kVectors];
  mix_tile<kRows, kVectors>(block, rows, padded, sums);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t left = dim - v * kLanes;
      store_some(hn::Mul(sums[r][v], hn::Set(d, scale[r])), d, out + r * out_stride + v * kLanes,
                 left < kLanes ? left : kLanes);
    }
  }
}

// out[r] = scale[r] · Σ_j weights[r][j]·rows[j]; rows [count, padded], out rows of `dim` floats.
template <size_t kRows>
HWY_NOINLINE void mix_rows(const WeightBlock& block, const float* rows, size_t padded,
                           const float* scale, size_t dim, float* out, size_t out_stride) {
  size_t f = 0;
  for (; f + kLanes < dim; f += 2 * kLanes) {
    mix_columns<kRows, 2>(block, rows + f, padded, scale, dim - f, out + f, out_stride);
  }
  if (f < dim) mix_columns<kRows, 1>(block, rows + f, padded, scale, dim - f, out + f, out_stride);
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void add_mixed_columns(const WeightBlock& block, const float* rows, size_t padded,
                                  float* sums) {
  const FloatTag d;
  FloatVec row[kRows][kVectors];
  const float* weight[kRows];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    weight[r] = block.weights + r * block.stride;
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) row[r][v] = hn::LoadU(d, rows + r * padded + v * kLanes);
  }
  for (size_t j = 0; j < block.count; ++j, sums += padded) {
    FloatVec sum[kVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::LoadU(d, sums + v * kLanes);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const auto w = hn::Set(d, weight[r][j]);
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::MulAdd(w, row[r][v], sum[v]);
    }
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, sums + v * kLanes);
  }
}

// sums[j] += Σ_r weights[r][j]·rows[r]; rows [kRows, padded], sums [count, padded].
template <size_t kRows>
HWY_NOINLINE void add_mixed_rows(const WeightBlock& block, const float* rows, size_t padded,
                                 float* sums) {
  size_t f = 0;
  for (; f + 2 * kLanes <= padded; f += 2 * kLanes)
    add_mixed_columns<kRows, 2>(block, rows + f, padded, sums + f);
  if (f < padded) add_mixed_columns<kRows, 1>(block, rows + f, padded, sums + f);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
