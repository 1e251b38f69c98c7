#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows/rows.h"

// Attention in floats: scores of all pairs, the fused forward and backward pass over a batch, and
// the attention of a single position for decoding.
namespace eatt::kernels {

enum class ScoreKind {
  dot,  // Σ q·k
  l1,   // −Σ |q − k|, computed as Σq + Σk − 2·Σmax(q, k): two operations per element
};

// ---- Scores of all pairs ----

// A matrix of floats by rows.
struct ConstRows {
  const float* data;
  size_t count;
  size_t stride;  // Floats from one row to the next.
};

struct ScoreShape {
  ScoreKind kind;
  size_t dim;           // Features of a row.
  float factor = 1.0f;  // Every score is multiplied by it.
};

// Floats of scratch memory that pairwise_scores needs.
size_t pairwise_scores_scratch(size_t keys, size_t dim) noexcept;

// scores[i·scores_stride + j] = factor · score(query i, key j).
//
// Distances come from sums of maxima, so their rounding error is that of the sums (about 1e-6 of
// Σ|q| + Σ|k|), not of the distance. That is harmless in a softmax; near-equal vectors far from
// zero need exact differences instead.
void pairwise_scores(const ScoreShape& shape, ConstRows queries, ConstRows keys, float* scores,
                     size_t scores_stride, float* scratch) noexcept;

// Gradients of l1 scores: given score_gradients g[i·stride + j],
//   d_queries[i] = −factor·Σ_j g_ij·sign(q_i − k_j)   d_keys[j] = factor·Σ_i g_ij·sign(q_i − k_j)
// with sign(0) = 0. Both are overwritten, [count, dim] without gaps.
void l1_score_gradients(const ScoreShape& shape, ConstRows queries, ConstRows keys,
                        const float* score_gradients, size_t stride, float* d_queries,
                        float* d_keys, float* scratch) noexcept;
size_t l1_score_gradients_scratch(size_t keys, size_t dim) noexcept;

// ---- Fused attention over a batch ----

// Several heads inside a tensor: feature f of head h of position i of sentence b is
// data[b·batch_stride + i·row_stride + h·head_stride + f].
template <typename T>
struct HeadRows {
  T* data;
  size_t batch_stride, row_stride, head_stride;

  T* head(size_t b, size_t h) const { return data + b * batch_stride + h * head_stride; }
};

// softmax(factor·score(q, k), over the keys that a query may see) with dropout, times the values.
// Nothing of size query_len × key_len is stored.
struct Attention {
  ScoreKind kind;
  size_t batch, heads, query_len, key_len;
  size_t head_dim;   // Features of a query and of a key.
  size_t value_dim;  // Features of a value.
  float factor;      // Every score is multiplied by it; at least 0 for distances.

  const int64_t* key_lengths = nullptr;  // [batch], each at most key_len; null: all keys exist.
  bool causal = false;                   // Query i sees keys 0 … i only.

  bool drops = false;  // Apply `dropout` to the attention weights.
  Dropout dropout = {};

  size_t head_count() const { return batch * heads; }
};

// What the forward pass reads and writes. A query that sees no key gets 0.
struct AttentionForward {
  HeadRows<const float> query, key, value;
  HeadRows<float> out;  // [batch, query_len, heads, value_dim] by its strides
  float* log_sums;      // [batch, heads, query_len]: log Σ exp(score), for the backward pass
  float* weights;       // [batch, heads, query_len, key_len] before dropout, or null
};

// Computes heads head_begin … head_end−1 of head_count(); threads may share them. `scratch` holds
// attention_forward_scratch() floats.
void attention_forward(const Attention& attention, const AttentionForward& tensors,
                       size_t head_begin, size_t head_end, float* scratch) noexcept;
size_t attention_forward_scratch(const Attention& attention) noexcept;

// Gradients of the forward pass's inputs, all overwritten. Scores are computed again. The
// derivative of |q − k| is 0 where q = k.
struct AttentionBackward {
  HeadRows<const float> query, key, value;
  HeadRows<const float> out;    // As the forward pass left it.
  HeadRows<const float> d_out;  // Gradient of `out`.
  const float* log_sums;
  HeadRows<float> d_query, d_key, d_value;
};

void attention_backward(const Attention& attention, const AttentionBackward& tensors,
                        size_t head_begin, size_t head_end, float* scratch) noexcept;
size_t attention_backward_scratch(const Attention& attention) noexcept;

// ---- Attention of one position ----
// Its query against keys and values that lie anywhere in memory, all heads at once. A key is a row
// [heads · head_dim], a value a row [heads · value_dim]. Results depend on these rows alone.

// An IEEE 754 number of 16 bits, for caches of half the size.
using Half = uint16_t;
void floats_to_halves(const float* x, size_t size, Half* out) noexcept;  // Rounds to nearest even.

struct RowScores {
  size_t heads, head_dim;
  size_t count;  // Keys.
};

// scores [heads, count] = factor · score(query, key) per head. The query is [heads · head_dim].
// Distances are sums of |q − k|: for one query, 2·max − sums would only lose digits.
void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const float* const* keys, float* scores) noexcept;
void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const Half* const* keys, float* scores) noexcept;

// Exact distances of integers: scores[h, j] = −head_factors[h] · Σ|q − k|. Differences may need 17
// bits.
void row_l1_scores(const RowScores& shape, const float* head_factors, const int16_t* query,
                   const int16_t* const* keys, float* scores) noexcept;

struct RowMix {
  size_t heads, value_dim;
  size_t count;  // Values.
};

// out [heads · value_dim] = Σ_j weights[h, j] · values[j], weights [heads, count].
void mix_value_rows(const RowMix& shape, const float* weights, const float* const* values,
                    float* out) noexcept;
void mix_value_rows(const RowMix& shape, const float* weights, const Half* const* values,
                    float* out) noexcept;

}  // namespace eatt::kernels
