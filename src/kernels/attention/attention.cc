#include "kernels/attention/attention.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/attention/attention_backward-inl.h"
#include "kernels/attention/attention_forward-inl.h"
#include "kernels/dispatch.h"

// Attention and pairwise scores are one translation unit because they share tiles, which are slow
// to compile.
HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Tiles write full vectors: straight into the result if they fit, otherwise through `block`.
template <ScoreKind kKind>
void all_pairs(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
               size_t scores_stride, float* scratch) {
  const size_t panels = (keys.count + kLanes - 1) / kLanes;
  const size_t padded = panels * kLanes;
  ScratchParts parts(scratch);
  float* packed = parts.take(padded * shape.dim);
  float* starts = parts.take(padded);
  float* block = parts.take(kTileRows * padded);
  pack_panels(keys.data, keys.stride, keys.count, shape.dim, packed);
  if (kKind == ScoreKind::l1) half_sums(packed, panels, shape.dim, starts);
  const float factor = sum_factor(kKind, shape.factor);
  const bool direct = padded == keys.count;
  for_row_blocks(queries.count, [&](size_t first, auto rows) {
    constexpr size_t kRows = decltype(rows)::value;
    const auto tile =
        query_tile<kKind, kRows>(queries.data + first * queries.stride, queries.stride, shape.dim);
    float* out = scores + first * scores_stride;
    score_rows<kKind, kRows>(tile, packed, starts, panels, shape.dim, factor, direct ? out : block,
                             direct ? scores_stride : padded);
    if (direct) return;
    for (size_t r = 0; r < kRows; ++r)
      std::memcpy(out + r * scores_stride, block + r * padded, keys.count * sizeof(float));
  });
}

void pairwise_scores(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
                     size_t scores_stride, float* scratch) {
  if (shape.kind == ScoreKind::l1) {
    all_pairs<ScoreKind::l1>(shape, queries, keys, scores, scores_stride, scratch);
  } else {
    all_pairs<ScoreKind::dot>(shape, queries, keys, scores, scores_stride, scratch);
  }
}

void l1_score_gradients(const ScoreShape& shape, ConstRows queries, ConstRows keys,
                        const float* score_gradients, size_t stride, float* d_queries,
                        float* d_keys, float* scratch) {
  const size_t dim = shape.dim, padded = round_up(dim, kLanes);
  ScratchParts parts(scratch);
  float* key_rows = parts.take(keys.count * padded);
  float* key_sums = parts.take(keys.count * padded);
  float* query_rows = parts.take(kTileRows * padded);
  float* query_gradients = parts.take(kTileRows * padded);
  copy_by_vectors(keys.data, keys.stride, keys.count, dim, key_rows);
  std::memset(key_sums, 0, keys.count * padded * sizeof(float));
  for_row_blocks(queries.count, [&](size_t first, auto rows) {
    constexpr size_t kRows = decltype(rows)::value;
    copy_padded(queries.data + first * queries.stride, queries.stride, kRows, dim, query_rows);
    const float* gradients = score_gradients + first * stride;
    l1_gradient_block<kRows>(
        {gradients, stride, keys.count, padded, query_rows, key_rows, keys.count, shape.factor},
        query_gradients, key_sums);
    for (size_t r = 0; r < kRows; ++r)
      std::memcpy(d_queries + (first + r) * dim, query_gradients + r * padded, dim * sizeof(float));
  });
  copy_from_vectors(key_sums, keys.count, dim, shape.factor, d_keys, dim);
}

void attention_forward(const Attention& attention, const AttentionForward& tensors,
                       size_t head_begin, size_t head_end, float* scratch) {
  for (size_t head = head_begin; head < head_end; ++head) {
    const HeadPlace place(attention, head);
    if (attention.kind == ScoreKind::l1) {
      forward_head<ScoreKind::l1>(place, tensors, scratch);
    } else {
      forward_head<ScoreKind::dot>(place, tensors, scratch);
    }
  }
}

void attention_backward(const Attention& attention, const AttentionBackward& tensors,
                        size_t head_begin, size_t head_end, float* scratch) {
  for (size_t head = head_begin; head < head_end; ++head) {
    const HeadPlace place(attention, head);
    if (attention.kind == ScoreKind::l1) {
      backward_head<ScoreKind::l1>(place, tensors, scratch);
    } else {
      backward_head<ScoreKind::dot>(place, tensors, scratch);
    }
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pairwise_scores);
HWY_EXPORT(l1_score_gradients);

size_t pairwise_scores_scratch(size_t keys, size_t dim) noexcept {
  return kAlignment + padded(padded(keys) * dim) + padded(keys) * (1 + kMostRows);
}

void pairwise_scores(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
                     size_t scores_stride, float* scratch) noexcept {
  if (queries.count == 0 || keys.count == 0) return;
  EATT_DISPATCH(pairwise_scores)(shape, queries, keys, scores, scores_stride, scratch);
}

size_t l1_score_gradients_scratch(size_t keys, size_t dim) noexcept {
  return kAlignment + 2 * keys * padded(dim) + 2 * kMostRows * padded(dim);
}

void l1_score_gradients(const ScoreShape& shape, ConstRows queries, ConstRows keys,
                        const float* score_gradients, size_t stride, float* d_queries,
                        float* d_keys, float* scratch) noexcept {
  if (shape.dim == 0) return;
  EATT_DISPATCH(l1_score_gradients)
  (shape, queries, keys, score_gradients, stride, d_queries, d_keys, scratch);
}

HWY_EXPORT(attention_forward);

void attention_forward(const Attention& attention, const AttentionForward& tensors,
                       size_t head_begin, size_t head_end, float* scratch) noexcept {
  EATT_DISPATCH(attention_forward)(attention, tensors, head_begin, head_end, scratch);
}

size_t attention_forward_scratch(const Attention& a) noexcept {
  const size_t keys = padded(a.key_len);
  return kAlignment + padded(keys * a.head_dim) + keys + a.key_len * padded(a.value_dim) +
         kMostRows * keys + padded(a.query_len);
}

HWY_EXPORT(attention_backward);

void attention_backward(const Attention& attention, const AttentionBackward& tensors,
                        size_t head_begin, size_t head_end, float* scratch) noexcept {
  EATT_DISPATCH(attention_backward)(attention, tensors, head_begin, head_end, scratch);
}

size_t attention_backward_scratch(const Attention& a) noexcept {
  const size_t keys = padded(a.key_len), head = padded(a.head_dim), value = padded(a.value_dim);
  return kAlignment + padded(keys * a.head_dim) + padded(keys * a.value_dim) + keys +
         2 * a.key_len * head + a.key_len * value + kMostRows * (2 * head + value + 2 * keys);
}

}  // namespace eatt::kernels
#endif
