#pragma once

#include <cstddef>

#include "kernels/attention/score_kind.h"

namespace eatt::kernels {

// A matrix of floats by rows.
struct ConstRows {
  const float* data;
  size_t count;
  size_t stride;  // From one row to the next.
};

struct ScoreShape {
  ScoreKind kind;
  size_t dim;           // Features of a row.
  float factor = 1.0f;  // Of every score.
};

// Floats of scratch memory that pairwise_scores needs.
size_t pairwise_scores_scratch(size_t keys, size_t dim);

// scores[i·scores_stride + j] = factor · score(query i, key j).
//
// Distances come from sums of maxima, so their error is that of the sums (about 1e-6 of
// Σ|q| + Σ|k|), not of the distance: harmless in a softmax; near-equal vectors far from zero want
// exact differences instead.
void pairwise_scores(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
                     size_t scores_stride, float* scratch);

// Gradients of l1 scores: given d score_gradients[i·stride + j],
//   d_queries[i] = −factor·Σ_j g_ij·sign(q_i − k_j)   d_keys[j] = factor·Σ_i g_ij·sign(q_i − k_j)
// with sign(0) = 0. Both are written, [count, dim] without gaps.
void l1_score_gradients(const ScoreShape& shape, ConstRows queries, ConstRows keys,
                        const float* score_gradients, size_t stride, float* d_queries,
                        float* d_keys, float* scratch);
size_t l1_score_gradients_scratch(size_t keys, size_t dim);

}  // namespace eatt::kernels
