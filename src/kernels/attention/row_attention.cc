#include "kernels/attention/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/row_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/attention/row_scores-inl.h"
#include "kernels/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Accumulators that fit in registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kMixSums = 16;
#else
inline constexpr size_t kMixSums = 8;
#endif

// Heads head … head + kHeads − 1, each kVectors vectors wide.
template <size_t kVectors, size_t kHeads, class T>
HWY_NOINLINE void mix_heads(const RowMix& shape, size_t head, const float* weights,
                            const T* const* values, float* out) {
  const FloatTag d;
  const size_t column = head * kVectors * kLanes;
  const float* weight = weights + head * shape.count;
  FloatVec sums[kHeads][kVectors];
#pragma GCC unroll 16
  for (size_t h = 0; h < kHeads; ++h) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) sums[h][v] = hn::Zero(d);
  }
  constexpr size_t kAhead = 8;  // Rows: enough to hide the latency of the third-level cache.
  for (size_t j = 0; j < shape.count; ++j) {
    const T* value = values[j] + column;
    if (j + kAhead < shape.count) {
      prefetch_row(values[j + kAhead] + column, kHeads * kVectors * kLanes);
    }
#pragma GCC unroll 16
    for (size_t h = 0; h < kHeads; ++h) {
      const FloatVec w = hn::Set(d, weight[h * shape.count + j]);
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        const FloatVec part = load_some(d, value + (h * kVectors + v) * kLanes, kLanes);
        sums[h][v] = hn::MulAdd(w, part, sums[h][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (size_t h = 0; h < kHeads; ++h) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[h][v], d, out + column + (h * kVectors + v) * kLanes);
    }
  }
}

// One head of any width, a vector at a time.
template <class T>
HWY_NOINLINE void mix_any_head(const RowMix& shape, size_t head, const float* weights,
                               const T* const* values, float* out) {
  const FloatTag d;
  const float* weight = weights + head * shape.count;
  for_each_vector(shape.value_dim, [&](size_t i, size_t count) HWY_ATTR {
    const size_t column = head * shape.value_dim + i;
    FloatVec sum = hn::Zero(d);
    for (size_t j = 0; j < shape.count; ++j) {
      sum = hn::MulAdd(hn::Set(d, weight[j]), load_some(d, values[j] + column, count), sum);
    }
    store_some(sum, d, out + column, count);
  });
}

template <class T>
HWY_INLINE void mix_values(const RowMix& shape, const float* weights, const T* const* values,
                           float* out) {
  with_vectors<kLanes>(shape.value_dim, [&](auto vectors) HWY_ATTR {
    size_t h = 0;
    if constexpr (vectors > 0) {
      constexpr size_t kHeads = kMixSums / vectors;
      for (; h + kHeads <= shape.heads; h += kHeads) {
        mix_heads<vectors, kHeads>(shape, h, weights, values, out);
      }
      for (; h < shape.heads; ++h) mix_heads<vectors, 1>(shape, h, weights, values, out);
    }
    for (; h < shape.heads; ++h) mix_any_head(shape, h, weights, values, out);
  });
}

void mix_values_float(const RowMix& shape, const float* weights, const float* const* values,
                      float* out) {
  mix_values(shape, weights, values, out);
}

void mix_values_half(const RowMix& shape, const float* weights, const Half* const* values,
                     float* out) {
  mix_values(shape, weights, values, out);
}

void floats_to_halves(const float* x, size_t size, Half* out) {
  const FloatTag d;
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    store_some(halves_of(load_some(d, x + i, count)), out + i, count);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(floats_to_halves);
HWY_EXPORT(row_scores_float);
HWY_EXPORT(row_scores_half);
HWY_EXPORT(row_l1_scores);
HWY_EXPORT(mix_values_float);
HWY_EXPORT(mix_values_half);

void floats_to_halves(const float* x, size_t size, Half* out) noexcept {
  EATT_DISPATCH(floats_to_halves)(x, size, out);
}

void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const float* const* keys, float* scores) noexcept {
  EATT_DISPATCH(row_scores_float)(shape, kind, factor, query, keys, scores);
}

void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const Half* const* keys, float* scores) noexcept {
  EATT_DISPATCH(row_scores_half)(shape, kind, factor, query, keys, scores);
}

void row_l1_scores(const RowScores& shape, const float* head_factors, const int16_t* query,
                   const int16_t* const* keys, float* scores) noexcept {
  EATT_DISPATCH(row_l1_scores)(shape, head_factors, query, keys, scores);
}

void mix_value_rows(const RowMix& shape, const float* weights, const float* const* values,
                    float* out) noexcept {
  EATT_DISPATCH(mix_values_float)(shape, weights, values, out);
}

void mix_value_rows(const RowMix& shape, const float* weights, const Half* const* values,
                    float* out) noexcept {
  EATT_DISPATCH(mix_values_half)(shape, weights, values, out);
}

}  // namespace eatt::kernels
#endif
