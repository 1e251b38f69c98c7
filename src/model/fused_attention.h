#pragma once

#include <torch/torch.h>

#include "kernels/attention/attention.h"
#include "model/attention_scores.h"

namespace eatt {

// Whether attention of these tensors can be computed by our kernels: float, on the CPU.
bool fused_attention_takes(const torch::Tensor& query, const torch::Tensor& value);

struct FusedAttentionOptions {
  kernels::ScoreKind kind;
  int64_t heads;
  double factor;         // Of scores.
  double dropout = 0.0;  // Of attention weights.
  uint64_t dropout_seed = 0;
};

// Scores → mask → softmax → dropout → ·V of all heads, without storing anything of size
// query_len × key_len, forward or backward.
//   query [batch, query_len, heads·n]   key [batch, key_len, heads·n]   value [batch, key_len,
//   heads·m] result [batch, query_len, heads·m]
// The attention weights [batch, heads, query_len, key_len] before dropout are put into `weights`
// where it is given. Shares the heads among libtorch's threads; the result does not depend on how.
torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, const AttentionMask& mask,
                              const FusedAttentionOptions& options,
                              torch::Tensor* weights = nullptr);

}  // namespace eatt
