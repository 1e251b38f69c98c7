// Gradients of L1 scores. A pair's share is ±g by the sign of q − k; the compare that decides it
// serves query and key at once:
//   Σ_j g_ij·sign(q_i − k_j) = 2·Σ_j g_ij·[q_i > k_j] − Σ_j g_ij      where nothing is equal,
// and each equal pair gets half a g more, so that it contributes 0.
#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#if defined(EATT_KERNELS_L1_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_L1_GRADIENT_INL_H_
#undef EATT_KERNELS_L1_GRADIENT_INL_H_
#else
#define EATT_KERNELS_L1_GRADIENT_INL_H_
#endif

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Features beyond the row's length: never equal, or they would look like ties.
inline constexpr float kQueryPadding = 1.0f, kKeyPadding = 0.0f;

// Rows [count, dim] → [count, dim rounded up to whole vectors].
inline void copy_padded(const float* rows, size_t stride, size_t count, size_t dim, float padding,
                        float* out) {
  const size_t padded = round_up(dim, kLanes);
  const FloatTag d;
  for (size_t i = 0; i < count; ++i, rows += stride, out += padded) {
    size_t f = 0;
    for (; f + kLanes <= dim; f += kLanes) hn::StoreU(hn::LoadU(d, rows + f), d, out + f);
    for (; f < dim; ++f) out[f] = rows[f];
    for (; f < padded; ++f) out[f] = padding;
  }
}

// One block of kRows queries against all keys.
struct L1GradientBlock {
  const float* gradients;  // g [kRows, keys]
  size_t stride;           // of g
  size_t keys;
  size_t padded_dim;        // whole vectors
  const float* query_rows;  // [kRows, padded_dim]
  const float* key_rows;    // [keys, padded_dim]
  float factor;             // of the scores
};

// totals[j] += Σ_r g[r][j]
template <size_t kRows>
HWY_INLINE void add_columns(const float* g, size_t stride, size_t keys, float* totals) {
  const FloatTag d;
  for_each_vector(keys, [&](size_t j, size_t n) {
    auto sum = load_some(d, totals + j, n);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) sum = hn::Add(sum, load_some(d, g + r * stride + j, n));
    store_some(sum, d, totals + j, n);
  });
}

HWY_INLINE FloatVec add_where(hn::Mask<FloatTag> where, FloatVec sum, FloatVec x) {
#if HWY_TARGET == HWY_AVX3
  return FloatVec{_mm512_mask_add_ps(sum.raw, where.raw, sum.raw, x.raw)};
#else
  return hn::Add(sum, hn::IfThenElseZero(where, x));
#endif
}

// Whether any pair so far was equal, kept cheaply: one instruction per vector of pairs.
class TieWatch {
 public:
#if HWY_TARGET != HWY_AVX3
  HWY_INLINE TieWatch() : found_(hn::Zero(FloatTag())) {}
#endif
  HWY_INLINE void look(FloatVec a, FloatVec b) {
#if HWY_TARGET == HWY_AVX3
    none_ = _mm512_mask_cmp_ps_mask(none_, a.raw, b.raw, _CMP_NEQ_UQ);
#else
    const FloatTag d;
    found_ = hn::Or(found_, hn::VecFromMask(d, hn::Eq(a, b)));
#endif
  }
  HWY_INLINE bool found() const {
#if HWY_TARGET == HWY_AVX3
    return none_ != 0xffff;
#else
    const FloatTag d;
    return !hn::AllFalse(d, hn::MaskFromVec(found_));
#endif
  }

 private:
#if HWY_TARGET == HWY_AVX3
  __mmask16 none_ = 0xffff;
#else
  FloatVec found_;
#endif
};

// Half a g for each equal pair of one vector of features.
template <size_t kRows>
HWY_NOINLINE void add_ties(const L1GradientBlock& b, size_t f, float* query_sums, float* key_sums) {
  const FloatTag d;
  for (size_t r = 0; r < kRows; ++r) {
    const auto query = hn::LoadU(d, b.query_rows + r * b.padded_dim + f);
    auto sum = hn::LoadU(d, query_sums + r * b.padded_dim + f);
    for (size_t j = 0; j < b.keys; ++j) {
      const auto equal = hn::Eq(query, hn::LoadU(d, b.key_rows + j * b.padded_dim + f));
      const auto half = hn::Set(d, 0.5f * b.gradients[r * b.stride + j]);
      float* key_sum = key_sums + j * b.padded_dim + f;
      sum = add_where(equal, sum, half);
      hn::StoreU(add_where(equal, hn::LoadU(d, key_sum), half), d, key_sum);
    }
    hn::StoreU(sum, d, query_sums + r * b.padded_dim + f);
  }
}

// d_queries [kRows, padded_dim] is written; key_sums [keys, padded_dim] += Σ_r g·[q > k].
template <size_t kRows>
HWY_INLINE void l1_gradient_block(const L1GradientBlock& b, float* d_queries, float* key_sums) {
  const FloatTag d;
  const size_t stride = b.stride, padded = b.padded_dim;
  for (size_t f = 0; f < padded; f += kLanes) {
    FloatVec query[kRows], sums[kRows];
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      query[r] = hn::LoadU(d, b.query_rows + r * padded + f);
      sums[r] = hn::Zero(d);
    }
    TieWatch ties[4];  // Several, or waiting for each other they would set the pace.
    const float* g = b.gradients;
    const float* key_row = b.key_rows + f;
    float* key_sum = key_sums + f;
    for (size_t j = 0; j < b.keys; ++j, ++g, key_row += padded, key_sum += padded) {
      const auto key = hn::LoadU(d, key_row);
      FloatVec key_sum_parts[2] = {hn::LoadU(d, key_sum), hn::Zero(d)};
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const auto above = hn::Gt(query[r], key);
        const auto share = hn::Set(d, g[r * stride]);
        sums[r] = add_where(above, sums[r], share);
        key_sum_parts[r % 2] = add_where(above, key_sum_parts[r % 2], share);
        ties[r % 4].look(query[r], key);
      }
      hn::StoreU(hn::Add(key_sum_parts[0], key_sum_parts[1]), d, key_sum);
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) hn::StoreU(sums[r], d, d_queries + r * padded + f);
    if (ties[0].found() || ties[1].found() || ties[2].found() || ties[3].found())
      add_ties<kRows>(b, f, d_queries, key_sums);
  }
  for (size_t r = 0; r < kRows; ++r) {
    auto total = hn::Zero(d);
    for_each_vector(b.keys, [&](size_t j, size_t n) {
      total = hn::Add(total, load_some(d, b.gradients + r * stride + j, n));
    });
    const auto shift = hn::Set(d, b.factor * sum_of_lanes(d, total));
    const auto scale = hn::Set(d, -2.0f * b.factor);
    for (size_t f = 0; f < padded; f += kLanes) {
      float* out = d_queries + r * padded + f;
      hn::StoreU(hn::MulAdd(hn::LoadU(d, out), scale, shift), d, out);
    }
  }
}

// d_key [dim] = factor · (2·sums − total)
inline void finish_key_gradient(const float* sums, float total, float factor, size_t dim,
                                float* d_key) {
  const FloatTag d;
  const auto shift = hn::Set(d, -factor * total);
  const auto scale = hn::Set(d, 2.0f * factor);
  for_each_vector(dim, [&](size_t f, size_t n) {
    store_some(hn::MulAdd(hn::LoadU(d, sums + f), scale, shift), d, d_key + f, n);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
