// The backward pass of attention, one head.
#include <hwy/highway.h>

#include <cstring>

#include "kernels/attention/attention_parts-inl.h"
#include "kernels/attention/l1_gradient-inl.h"

#if defined(EATT_KERNELS_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_ATTENTION_BACKWARD_INL_H_
#undef EATT_KERNELS_ATTENTION_BACKWARD_INL_H_
#else
#define EATT_KERNELS_ATTENTION_BACKWARD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

struct BackwardScratch {
  BackwardScratch(const Attention& a, float* scratch) {
    ScratchParts parts(scratch);
    const size_t keys = round_up(a.key_len, kLanes);
    head_dim = round_up(a.head_dim, kLanes);
    value_dim = round_up(a.value_dim, kLanes);
    packed = {parts.take(keys * a.head_dim), parts.take(keys)};
    value_panels = parts.take(keys * a.value_dim);
    key_rows = parts.take(a.key_len * head_dim);
    query_rows = parts.take(kTileRows * head_dim);
    d_query = parts.take(kTileRows * head_dim);
    d_out = parts.take(kTileRows * value_dim);
    stride = keys;
    weights = parts.take(kTileRows * keys);
    gradients = parts.take(kTileRows * keys);
    key_sums = parts.take(a.key_len * head_dim);
    value_sums = parts.take(a.key_len * value_dim);
  }
  size_t head_dim, value_dim;  // Full vectors.
  PackedKeys packed;
  float* value_panels;  // Values packed like keys, for d_out·value.
  float* key_rows;      // [key_len, head_dim]; by vectors (l1_gradient-inl.h) for distances
  float* query_rows;    // [kTileRows, head_dim]
  float* d_query;       // [kTileRows, head_dim]
  float* d_out;         // [kTileRows, value_dim]
  size_t stride;        // of the two blocks below
  float* weights;       // [kTileRows, keys]: scores, then attention weights after dropout
  float* gradients;     // [kTileRows, keys]: of dropped weights, then of scores
  float* key_sums;      // Gradient of the keys so far, same layout as key_rows
  float* value_sums;    // [key_len, value_dim]
};

HWY_INLINE float dot(const float* x, const float* y, size_t size) {
  const FloatTag d;
  auto sum = hn::Zero(d);
  for_each_vector(size, [&](size_t i, size_t n) {
    sum = hn::MulAdd(load_some(d, x + i, n), load_some(d, y + i, n), sum);
  });
  return sum_of_lanes(d, sum);
}

// One query: scores and d(dropped weights) become dropped weights and d scores:
//   p = exp(score − log_sum),   d score = p·(d weight − Σ p·d weight), and that sum is d_out·out.
HWY_INLINE void softmax_gradient(const HeadPlace& place, size_t i, float log_sum, float mean,
                                 size_t end, float* weights, float* gradients) {
  const FloatTag d;
  const Attention& a = place.attention;
  const size_t visible = place.visible(i);
  const auto shift = hn::Set(d, log_sum), common = hn::Set(d, mean);
  const auto keep_scale = hn::Set(d, a.dropout.rate.scale);
  const DropoutRow row = a.drops ? place.dropout(i) : DropoutRow{};
  size_t j = 0;
  for (; j < visible; j += kLanes) {
    const auto p = first_lanes(d, visible - j, exp_of(d, hn::Sub(hn::LoadU(d, weights + j), shift)),
                               hn::Zero(d));
    auto weight = p, gradient = hn::LoadU(d, gradients + j);
    if (a.drops) {
      const auto keep = keep_mask(d, static_cast<uint32_t>(j), row, a.dropout.rate.threshold);
      const auto scale = hn::IfThenElseZero(keep, keep_scale);
      weight = hn::Mul(weight, scale);
      gradient = hn::Mul(gradient, scale);
    }
    hn::StoreU(weight, d, weights + j);
    hn::StoreU(hn::Mul(p, hn::Sub(gradient, common)), d, gradients + j);
  }
  for (; j < end; j += kLanes) {
    hn::StoreU(hn::Zero(d), d, weights + j);
    hn::StoreU(hn::Zero(d), d, gradients + j);
  }
}

// Computes d query and adds the block's part of d key, from d scores [kRows, seen].
template <ScoreKind kKind, size_t kRows>
HWY_INLINE void score_gradients(const HeadPlace& place, size_t seen, const BackwardScratch& s) {
  const Attention& a = place.attention;
  const WeightBlock block = {s.gradients, s.stride, seen};
  if constexpr (kKind == ScoreKind::l1) {
    l1_gradient_block<kRows>(
        {s.gradients, s.stride, seen, s.head_dim, s.query_rows, s.key_rows, place.keys, a.factor},
        s.d_query, s.key_sums);
  } else {
    float scale[kRows];
    for (float& x : scale) x = a.factor;
    mix_rows<kRows>(block, s.key_rows, s.head_dim, scale, s.head_dim, s.d_query, s.head_dim);
    add_mixed_rows<kRows>(block, s.query_rows, s.head_dim, s.key_sums);
  }
}

// rows [count, dim], `stride` apart = factor · sums [count, padded]
inline HWY_NOINLINE void write_rows(const float* sums, size_t padded, size_t count, size_t dim,
                                    float factor, float* rows, size_t stride) {
  const FloatTag d;
  const auto scale = hn::Set(d, factor);
  for (size_t i = 0; i < count; ++i) {
    for_each_vector(dim, [&](size_t f, size_t n) {
      store_some(hn::Mul(hn::LoadU(d, sums + i * padded + f), scale), d, rows + i * stride + f, n);
    });
  }
}

template <ScoreKind kKind, size_t kRows>
HWY_INLINE void backward_rows(const HeadPlace& place, const AttentionBackward& tensors,
                              size_t first, const BackwardScratch& s) {
  const Attention& a = place.attention;
  const size_t seen = place.visible(first + kRows - 1);
  const size_t panels = (seen + kLanes - 1) / kLanes;
  copy_padded(tensors.query.head(place.b, place.h) + first * tensors.query.row_stride,
              tensors.query.row_stride, kRows, a.head_dim, s.query_rows);
  copy_padded(tensors.d_out.head(place.b, place.h) + first * tensors.d_out.row_stride,
              tensors.d_out.row_stride, kRows, a.value_dim, s.d_out);
  score_rows<kKind, kRows>(query_tile<kKind, kRows>(s.query_rows, s.head_dim, a.head_dim),
                           s.packed.panels, s.packed.starts, panels, a.head_dim,
                           sum_factor(kKind, a.factor), s.weights, s.stride);
  score_rows<ScoreKind::dot, kRows>(
      query_tile<ScoreKind::dot, kRows>(s.d_out, s.value_dim, a.value_dim), s.value_panels,
      s.packed.starts, panels, a.value_dim, 1.0f, s.gradients, s.stride);
  for (size_t r = 0; r < kRows; ++r) {
    const size_t i = first + r;
    const float* out = tensors.out.head(place.b, place.h) + i * tensors.out.row_stride;
    softmax_gradient(place, i, tensors.log_sums[place.row + i],
                     dot(s.d_out + r * s.value_dim, out, a.value_dim), seen,
                     s.weights + r * s.stride, s.gradients + r * s.stride);
  }
  add_mixed_rows<kRows>({s.weights, s.stride, seen}, s.d_out, s.value_dim, s.value_sums);
  score_gradients<kKind, kRows>(place, seen, s);
  float* d_query = tensors.d_query.head(place.b, place.h) + first * tensors.d_query.row_stride;
  write_rows(s.d_query, s.head_dim, kRows, a.head_dim, 1.0f, d_query, tensors.d_query.row_stride);
}

inline HWY_NOINLINE void zero_rows(float* rows, size_t stride, size_t count, size_t dim) {
  for (size_t i = 0; i < count; ++i) std::memset(rows + i * stride, 0, dim * sizeof(float));
}

// Sums → gradients of keys and values; zero for keys that do not exist.
template <ScoreKind kKind>
HWY_INLINE void finish_keys(const HeadPlace& place, const AttentionBackward& tensors,
                            const BackwardScratch& s) {
  const Attention& a = place.attention;
  float* d_key = tensors.d_key.head(place.b, place.h);
  float* d_value = tensors.d_value.head(place.b, place.h);
  if (kKind == ScoreKind::l1) {
    copy_from_vectors(s.key_sums, place.keys, a.head_dim, a.factor, d_key,
                      tensors.d_key.row_stride);
  } else {
    write_rows(s.key_sums, s.head_dim, place.keys, a.head_dim, a.factor, d_key,
               tensors.d_key.row_stride);
  }
  write_rows(s.value_sums, s.value_dim, place.keys, a.value_dim, 1.0f, d_value,
             tensors.d_value.row_stride);
  const size_t missing = a.key_len - place.keys;
  zero_rows(d_key + place.keys * tensors.d_key.row_stride, tensors.d_key.row_stride, missing,
            a.head_dim);
  zero_rows(d_value + place.keys * tensors.d_value.row_stride, tensors.d_value.row_stride, missing,
            a.value_dim);
}

template <ScoreKind kKind>
void backward_head(const HeadPlace& place, const AttentionBackward& tensors, float* scratch) {
  const Attention& a = place.attention;
  const BackwardScratch s(a, scratch);
  if (place.keys == 0) {
    zero_rows(tensors.d_query.head(place.b, place.h), tensors.d_query.row_stride, a.query_len,
              a.head_dim);
    return finish_keys<kKind>(place, tensors, s);
  }
  const float* keys = tensors.key.head(place.b, place.h);
  pack_keys<kKind>(keys, tensors.key.row_stride, place.keys, a.head_dim, s.packed);
  if (kKind == ScoreKind::l1) {
    copy_by_vectors(keys, tensors.key.row_stride, place.keys, a.head_dim, s.key_rows);
  } else {
    copy_padded(keys, tensors.key.row_stride, place.keys, a.head_dim, s.key_rows);
  }
  pack_panels(tensors.value.head(place.b, place.h), tensors.value.row_stride, place.keys,
              a.value_dim, s.value_panels);
  zero_rows(s.key_sums, 0, 1, place.keys * s.head_dim);
  zero_rows(s.value_sums, 0, 1, place.keys * s.value_dim);
  for_row_blocks(a.query_len, [&](size_t first, auto rows) {
    backward_rows<kKind, decltype(rows)::value>(place, tensors, first, s);
  });
  finish_keys<kKind>(place, tensors, s);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
