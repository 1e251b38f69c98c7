#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention/score_kind.h"

// Attention of one position, as a decoder needs it: its query against keys and values that lie
// anywhere in memory, all heads at once. A key is a row [heads · head_dim], a value a row
// [heads · value_dim]. No result depends on anything but the rows given.
namespace eatt::kernels {

// A number of 16 bits as IEEE 754 has it, for caches of half the size.
using Half = uint16_t;
void floats_to_halves(const float* x, size_t size, Half* out);  // Rounded to nearest even.

struct RowScores {
  size_t heads, head_dim;
  size_t count;  // Keys.
};

// scores [heads, count] = factor · score(query, key) per head. The query is [heads · head_dim].
// Distances are sums of |q − k| (2·max − sums would lose digits for nothing here).
void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const float* const* keys, float* scores);
void row_scores(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                const Half* const* keys, float* scores);

// Exact distances of whole numbers: scores[h, j] = −head_factors[h] · Σ|q − k|. The differences may
// need 17 bits.
void row_l1_scores(const RowScores& shape, const float* head_factors, const int16_t* query,
                   const int16_t* const* keys, float* scores);

struct RowMix {
  size_t heads, value_dim;
  size_t count;  // Values.
};

// out [heads · value_dim] = Σ_j weights[h, j] · values[j], weights [heads, count].
void mix_value_rows(const RowMix& shape, const float* weights, const float* const* values,
                    float* out);
void mix_value_rows(const RowMix& shape, const float* weights, const Half* const* values,
                    float* out);

}  // namespace eatt::kernels
