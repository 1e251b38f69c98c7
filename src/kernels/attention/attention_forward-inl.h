// The forward pass of attention, one head.
#include <hwy/highway.h>

#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "kernels/attention/attention_parts-inl.h"

#if defined(EATT_KERNELS_ATTENTION_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_ATTENTION_FORWARD_INL_H_
#undef EATT_KERNELS_ATTENTION_FORWARD_INL_H_
#else
#define EATT_KERNELS_ATTENTION_FORWARD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

struct SoftmaxRow {
  float largest;
  float sum;  // Σ exp(score − largest)
};

// Replaces the scores of `visible` keys by exp(score − largest) and clears the rest up to `end`.
// Rows are padded to full vectors, so stores may run past `end`.
HWY_INLINE SoftmaxRow exponentials(float* scores, size_t visible, size_t end) {
  const FloatTag d;
  const auto lowest = hn::Set(d, std::numeric_limits<float>::lowest());
  auto most = lowest;
  for (size_t j = 0; j < visible; j += kLanes) {
    most = hn::Max(most, first_lanes(d, visible - j, hn::LoadU(d, scores + j), lowest));
  }
  const auto largest = hn::MaxOfLanes(d, most);
  auto sum = hn::Zero(d);
  size_t j = 0;
  for (; j < visible; j += kLanes) {
    const auto e = first_lanes(d, visible - j,
                               exp_of(d, hn::Sub(hn::LoadU(d, scores + j), largest)), hn::Zero(d));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, scores + j);
  }
  for (; j < end; j += kLanes) hn::StoreU(hn::Zero(d), d, scores + j);
  return {hn::GetLane(largest), sum_of_lanes(d, sum)};
}

inline HWY_NOINLINE void drop_row(float* weights, size_t count, DropoutRow row, int32_t threshold) {
  const FloatTag d;
  for (size_t j = 0; j < count; j += kLanes) {
    const auto keep = keep_mask(d, static_cast<uint32_t>(j), row, threshold);
    hn::StoreU(hn::IfThenElseZero(keep, hn::LoadU(d, weights + j)), d, weights + j);
  }
}

inline HWY_NOINLINE void hand_out_weights(const float* exponentials, size_t visible, size_t key_len,
                                          float scale, float* weights) {
  for (size_t j = 0; j < visible; ++j) weights[j] = exponentials[j] * scale;
  for (size_t j = visible; j < key_len; ++j) weights[j] = 0.0f;
}

struct ForwardScratch {
  ForwardScratch(const Attention& a, float* scratch) {
    ScratchParts parts(scratch);
    const size_t keys = round_up(a.key_len, kLanes);
    packed = {parts.take(keys * a.head_dim), parts.take(keys)};
    value_dim = round_up(a.value_dim, kLanes);
    values = parts.take(a.key_len * value_dim);
    stride = keys;
    scores = parts.take(kTileRows * keys);
    largest = parts.take(a.query_len);
  }
  PackedKeys packed;
  size_t value_dim;  // Full vectors.
  float* values;     // [key_len, value_dim]
  size_t stride;
  float* scores;   // [kTileRows, stride]
  float* largest;  // [query_len]: largest score of each query
};

// kRows queries of one head, from `first` on: scores → softmax → values.
template <ScoreKind kKind, size_t kRows>
HWY_INLINE void forward_rows(const HeadPlace& place, const AttentionForward& tensors, size_t first,
                             const ForwardScratch& s) {
  const Attention& a = place.attention;
  const size_t seen = place.visible(first + kRows - 1);  // By any row of the block.
  const size_t panels = (seen + kLanes - 1) / kLanes;
  const auto queries = query_tile<kKind, kRows>(
      tensors.query.head(place.b, place.h) + first * tensors.query.row_stride,
      tensors.query.row_stride, a.head_dim);
  score_rows<kKind, kRows>(queries, s.packed.panels, s.packed.starts, panels, a.head_dim,
                           sum_factor(kKind, a.factor), s.scores, s.stride);
  float scale[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    const size_t i = first + r, visible = place.visible(i);
    float* row = s.scores + r * s.stride;
    const SoftmaxRow softmax = exponentials(row, visible, seen);
    const float share = 1.0f / softmax.sum;
    scale[r] = a.drops ? share * a.dropout.rate.scale : share;
    s.largest[i] = softmax.largest;
    tensors.log_sums[place.row + i] = softmax.sum;
    if (tensors.weights != nullptr)
      hand_out_weights(row, visible, a.key_len, share,
                       tensors.weights + (place.row + i) * a.key_len);
    if (a.drops) drop_row(row, visible, place.dropout(i), a.dropout.rate.threshold);
  }
  mix_rows<kRows>({s.scores, s.stride, seen}, s.values, s.value_dim, scale, a.value_dim,
                  tensors.out.head(place.b, place.h) + first * tensors.out.row_stride,
                  tensors.out.row_stride);
}

// sums = largest + log(sums), a vector at a time: scalar logarithms would take as long as the
// exponentials.
inline HWY_NOINLINE void finish_log_sums(const float* largest, size_t count, float* sums) {
  const FloatTag d;
  for_each_vector(count, [&](size_t i, size_t n) {
    const auto sum = load_some(d, sums + i, n);
    store_some(hn::Add(load_some(d, largest + i, n), hn::Log(d, sum)), d, sums + i, n);
  });
}

// The output of a head that has no keys.
inline HWY_NOINLINE void forward_nothing(const HeadPlace& place, const AttentionForward& tensors) {
  const Attention& a = place.attention;
  for (size_t i = 0; i < a.query_len; ++i) {
    float* out = tensors.out.head(place.b, place.h) + i * tensors.out.row_stride;
    for (size_t f = 0; f < a.value_dim; ++f) out[f] = 0.0f;
    tensors.log_sums[place.row + i] = 0.0f;
    if (tensors.weights == nullptr) continue;
    for (size_t j = 0; j < a.key_len; ++j) tensors.weights[(place.row + i) * a.key_len + j] = 0.0f;
  }
}

template <ScoreKind kKind>
void forward_head(const HeadPlace& place, const AttentionForward& tensors, float* scratch) {
  if (place.keys == 0) return forward_nothing(place, tensors);
  const Attention& a = place.attention;
  const ForwardScratch s(a, scratch);
  pack_keys<kKind>(tensors.key.head(place.b, place.h), tensors.key.row_stride, place.keys,
                   a.head_dim, s.packed);
  copy_padded(tensors.value.head(place.b, place.h), tensors.value.row_stride, place.keys,
              a.value_dim, s.values);
  for_row_blocks(a.query_len, [&](size_t first, auto rows) {
    forward_rows<kKind, decltype(rows)::value>(place, tensors, first, s);
  });
  finish_log_sums(s.largest, a.query_len, tensors.log_sums + place.row);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
