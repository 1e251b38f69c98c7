#include "kernels/scores.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scores.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/l1_gradient-inl.h"
#include "kernels/score_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

float sum_of(const float* x, size_t size) {
  const FloatTag d;
  auto sum = hn::Zero(d);
  for_each_vector(size, [&](size_t i, size_t n) { sum = hn::Add(sum, load_some(d, x + i, n)); });
  return sum_of_lanes(d, sum);
}

// Tiles write whole vectors: into the result where those fit, else by way of `block`.
template <ScoreKind kKind>
void all_pairs(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
               size_t scores_stride, float* scratch) {
  const FloatTag d;
  const size_t panels = (keys.count + kLanes - 1) / kLanes;
  const size_t padded = panels * kLanes;
  float* packed = scratch;
  float* starts = packed + padded * shape.dim;
  float* block = starts + padded;
  pack_panels(keys.data, keys.stride, keys.count, shape.dim, packed);
  if (kKind == ScoreKind::l1) half_sums(packed, panels, shape.dim, starts);
  const float factor = kKind == ScoreKind::l1 ? -2.0f * shape.factor : shape.factor;
  for_row_blocks(queries.count, [&](size_t first, auto rows) {
    constexpr size_t kRows = decltype(rows)::value;
    const float* row[kRows];
    for (size_t r = 0; r < kRows; ++r) row[r] = queries.data + (first + r) * queries.stride;
    const bool direct = kKind == ScoreKind::dot && padded == keys.count;
    float* out = scores + first * scores_stride;
    score_rows<kKind, kRows>(row, packed, starts, panels, shape.dim, factor, direct ? out : block,
                             direct ? scores_stride : padded);
    if (direct) return;
    for (size_t r = 0; r < kRows; ++r) {
      const auto shift =
          hn::Set(d, kKind == ScoreKind::l1 ? shape.factor * sum_of(row[r], shape.dim) : 0.0f);
      for_each_vector(keys.count, [&](size_t j, size_t n) {
        store_some(hn::Add(hn::LoadU(d, block + r * padded + j), shift), d,
                   out + r * scores_stride + j, n);
      });
    }
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
  float* key_rows = scratch;                         // [keys, padded]
  float* key_sums = key_rows + keys.count * padded;  // [keys, padded]
  float* totals = key_sums + keys.count * padded;    // [keys]
  float* query_rows = totals + round_up(keys.count, kLanes);
  float* query_gradients = query_rows + kTileRows * padded;
  copy_padded(keys.data, keys.stride, keys.count, dim, kKeyPadding, key_rows);
  std::memset(key_sums, 0, (keys.count * padded + keys.count) * sizeof(float));
  for_row_blocks(queries.count, [&](size_t first, auto rows) {
    constexpr size_t kRows = decltype(rows)::value;
    copy_padded(queries.data + first * queries.stride, queries.stride, kRows, dim, kQueryPadding,
                query_rows);
    const float* gradients = score_gradients + first * stride;
    add_columns<kRows>(gradients, stride, keys.count, totals);
    l1_gradient_block<kRows>(
        {gradients, stride, keys.count, padded, query_rows, key_rows, shape.factor},
        query_gradients, key_sums);
    for (size_t r = 0; r < kRows; ++r)
      std::memcpy(d_queries + (first + r) * dim, query_gradients + r * padded, dim * sizeof(float));
  });
  for (size_t j = 0; j < keys.count; ++j)
    finish_key_gradient(key_sums + j * padded, totals[j], shape.factor, dim, d_keys + j * dim);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pairwise_scores);
HWY_EXPORT(l1_score_gradients);

namespace {
constexpr size_t kMostLanes = 16;  // Scratch sizes are those of the widest instruction set.
constexpr size_t kMostRows = 8;

size_t padded(size_t n) { return (n + kMostLanes - 1) / kMostLanes * kMostLanes; }
}  // namespace

size_t pairwise_scores_scratch(size_t keys, size_t dim) {
  return padded(keys) * (dim + 1 + kMostRows);
}

void pairwise_scores(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
                     size_t scores_stride, float* scratch) {
  if (queries.count == 0 || keys.count == 0) return;
  EATT_DISPATCH(pairwise_scores)(shape, queries, keys, scores, scores_stride, scratch);
}

size_t l1_score_gradients_scratch(size_t keys, size_t dim) {
  return 2 * keys * padded(dim) + padded(keys) + 2 * kMostRows * padded(dim);
}

void l1_score_gradients(const ScoreShape& shape, ConstRows queries, ConstRows keys,
                        const float* score_gradients, size_t stride, float* d_queries,
                        float* d_keys, float* scratch) {
  EATT_DISPATCH(l1_score_gradients)
  (shape, queries, keys, score_gradients, stride, d_queries, d_keys, scratch);
}

}  // namespace eatt::kernels
#endif
