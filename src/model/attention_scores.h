#pragma once

#include <torch/torch.h>

#include "kernels/attention/attention.h"

namespace eatt {

// Which keys a query may look at: made once per batch and shared by all layers of one thread.
class AttentionMask {
 public:
  // key_lengths [batch] (integers): the keys of sentence b that exist are 0 …
  // key_lengths[b]−1. causal: query i sees keys 0 … i only.
  static AttentionMask from_lengths(const torch::Tensor& key_lengths, int64_t key_len, bool causal,
                                    int64_t query_len);

  // scores [batch, heads, query_len, key_len] → attention weights, rows summing to 1. A query with
  // every key hidden gets a row of zeros, and gradient zero.
  torch::Tensor softmax(const torch::Tensor& scores) const;

  // [batch] of int64, on the device of the lengths given; undefined if every key exists.
  const torch::Tensor& key_lengths() const { return key_lengths_; }
  bool causal() const { return causal_; }

 private:
  const torch::Tensor& hidden() const;

  torch::Tensor key_lengths_;
  bool causal_ = false;
  bool has_empty_row_ = false;  // Some sentence has no key at all.
  int64_t query_len_ = 0, key_len_ = 0;
  // True where a key is hidden: [batch|1, 1, query_len|1, key_len]; undefined if none is. Made when
  // it is first needed: our kernels do not use it.
  mutable torch::Tensor hidden_;
};

// Closeness of queries and keys, before any scale. Both take
//   query [batch, heads, query_len, head_dim]   key [batch, heads, key_len, head_dim]
// and give [batch, heads, query_len, key_len].

// The usual dot product.
torch::Tensor dot_scores(const torch::Tensor& query, const torch::Tensor& key);

// −‖q − k‖₁: 0 for equal vectors, negative otherwise; no query is multiplied with a key. The
// gradient of |0| is 0. Never stores anything of size query_len × key_len × head_dim. Float on the
// CPU goes to our kernels, the rest to chunked_l1_scores().
torch::Tensor l1_scores(const torch::Tensor& query, const torch::Tensor& key);

// −‖q − k‖₁ of all pairs by our kernels, forward and backward: float on the CPU.
//   query [..., queries, n]   key [..., keys, n]   result [..., queries, keys]
torch::Tensor fused_l1_scores(const torch::Tensor& query, const torch::Tensor& key);

// The same by libtorch's operators, on any device and in any precision, for some keys at a time.
// Forward keeps queries and keys; backward computes the differences again. (cdist would not do: on
// GPUs its backward stores query_len × key_len × head_dim numbers.)
torch::Tensor chunked_l1_scores(const torch::Tensor& query, const torch::Tensor& key,
                                int64_t keys_at_once);

// As many keys as make the differences no larger than the scores, the queries or 1 MB, whichever
// is largest; at least 1.
int64_t l1_keys_at_once(const torch::Tensor& query, const torch::Tensor& key);

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
