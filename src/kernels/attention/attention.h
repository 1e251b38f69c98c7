#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention/score_kind.h"
#include "kernels/rows/dropout.h"

namespace eatt::kernels {

// Several heads inside a tensor: feature f of head h of position i of sentence b is
// data[b·batch_stride + i·row_stride + h·head_stride + f].
template <typename T>
struct HeadRows {
  T* data;
  size_t batch_stride, row_stride, head_stride;

  T* head(size_t b, size_t h) const { return data + b * batch_stride + h * head_stride; }
};

// Attention with scores from pairs of vectors: softmax(factor·score(q, k), over the keys that a
// query may see) with dropout, times the values. Nothing of size query_len × key_len is kept.
struct Attention {
  ScoreKind kind;
  size_t batch, heads, query_len, key_len;
  size_t head_dim;   // Features of a query and of a key.
  size_t value_dim;  // Features of a value.
  float factor;      // Of the scores; not below 0 for distances.

  const int64_t* key_lengths = nullptr;  // [batch], each at most key_len; null: all keys exist.
  bool causal = false;                   // Query i sees keys 0 … i only.

  bool drops = false;  // Attention weights, by `dropout`.
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

// Heads head_begin … head_end−1 of head_count(), which may be shared among threads. `scratch` holds
// attention_forward_scratch() floats.
void attention_forward(const Attention& attention, const AttentionForward& tensors,
                       size_t head_begin, size_t head_end, float* scratch);
size_t attention_forward_scratch(const Attention& attention);

// Gradients of what the forward pass read, all written. Scores are computed again. |q − k| has
// derivative 0 where q = k.
struct AttentionBackward {
  HeadRows<const float> query, key, value;
  HeadRows<const float> out;    // As the forward pass left it.
  HeadRows<const float> d_out;  // Gradient of it.
  const float* log_sums;
  HeadRows<float> d_query, d_key, d_value;
};

void attention_backward(const Attention& attention, const AttentionBackward& tensors,
                        size_t head_begin, size_t head_end, float* scratch);
size_t attention_backward_scratch(const Attention& attention);

}  // namespace eatt::kernels
