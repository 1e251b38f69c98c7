// Gradients of L1 scores: each pair contributes ±g·sign(q − k). The sign is computed once for query
// and key; sign(0) = 0.
#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#if defined(EATT_KERNELS_L1_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_L1_GRADIENT_INL_H_
#undef EATT_KERNELS_L1_GRADIENT_INL_H_
#else
#define EATT_KERNELS_L1_GRADIENT_INL_H_
#endif

#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Rows [count, dim] → [vectors per row][count][kLanes], padded with zeros. A pass over the same
// vector of all rows then reads memory in order; in row order, power-of-two strides would map them
// to a few cache sets and evict each other.
inline void copy_by_vectors(const float* rows, size_t stride, size_t count, size_t dim,
                            float* out) {
  const FloatTag d;
  for_each_vector(dim, [&](size_t f, size_t n) {
    for (size_t i = 0; i < count; ++i)
      hn::StoreU(load_some(d, rows + i * stride + f, n), d, out + (f * count + i * kLanes));
  });
}

// The inverse, times a factor.
inline void copy_from_vectors(const float* vectors, size_t count, size_t dim, float factor,
                              float* rows, size_t stride) {
  const FloatTag d;
  const auto scale = hn::Set(d, factor);
  for_each_vector(dim, [&](size_t f, size_t n) {
    for (size_t i = 0; i < count; ++i) {
      store_some(hn::Mul(hn::LoadU(d, vectors + (f * count + i * kLanes)), scale), d,
                 rows + i * stride + f, n);
    }
  });
}

// One block of kRows queries against all keys.
struct L1GradientBlock {
  const float* gradients;  // g [kRows, keys]
  size_t stride;           // of g
  size_t keys;
  size_t padded_dim;        // full vectors
  const float* query_rows;  // [kRows, padded_dim]
  const float* key_rows;    // as copy_by_vectors leaves all_keys of them
  size_t all_keys;          // stride of key_rows and key_sums; the first `keys` are used
  float factor;             // of the scores
};

// Adds share · sign(x) to both sums, with sign(0) = 0; NaN stays NaN.
HWY_INLINE void add_signed_share(FloatVec x, FloatVec share, FloatVec& sum, FloatVec& part) {
#if HWY_TARGET == HWY_AVX3
  // vfixupimm looks the result up by the class of its operand, four bits per class from the lowest:
  // quiet NaN, signalling NaN (both kept), 0, 1, −∞, +∞, negative, positive.
  const __m512i answers = _mm512_set1_epi32(static_cast<int>(0xA9A9A822u));
  const FloatVec sign{_mm512_fixupimm_ps(x.raw, x.raw, answers, 0)};
  sum = hn::MulAdd(share, sign, sum);
  part = hn::MulAdd(share, sign, part);
#else
  // The share gets the sign of x; where x is 0 or NaN, x itself is added.
  const FloatTag d;
  const auto magnitude = hn::Abs(x);
  const auto with_sign = hn::Xor(share, hn::Xor(x, magnitude));
  const auto added = hn::IfThenElse(hn::Gt(magnitude, hn::Zero(d)), with_sign, x);
  sum = hn::Add(sum, added);
  part = hn::Add(part, added);
#endif
}

// Overwrites d_queries [kRows, padded_dim] and adds Σ_r g·sign(q − k) to key_sums, by vectors.
template <size_t kRows>
HWY_NOINLINE void l1_gradient_block(const L1GradientBlock& b, float* d_queries, float* key_sums) {
  const FloatTag d;
  const size_t stride = b.stride, padded = b.padded_dim;
  for (size_t f = 0; f < padded; f += kLanes) {
    FloatVec query[kRows], sums[kRows];
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      query[r] = hn::LoadU(d, b.query_rows + r * padded + f);
      sums[r] = hn::Zero(d);
    }
    const float* g = b.gradients;
    const float* key_row = b.key_rows + f * b.all_keys;
    float* key_sum = key_sums + f * b.all_keys;
    for (size_t j = 0; j < b.keys; ++j, ++g, key_row += kLanes, key_sum += kLanes) {
      const auto key = hn::LoadU(d, key_row);
      FloatVec parts[2] = {hn::LoadU(d, key_sum), hn::Zero(d)};
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const auto share = hn::Set(d, g[r * stride]);
        add_signed_share(hn::Sub(query[r], key), share, sums[r], parts[r % 2]);
      }
      hn::StoreU(hn::Add(parts[0], parts[1]), d, key_sum);
    }
    const auto scale = hn::Set(d, -b.factor);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r)
      hn::StoreU(hn::Mul(sums[r], scale), d, d_queries + r * padded + f);
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
