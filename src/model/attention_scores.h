#pragma once

#include <torch/torch.h>

namespace eatt {

// Closeness of queries and keys, before any scale. Both take
//   query [batch, heads, query_len, head_dim]   key [batch, heads, key_len, head_dim]
// and give [batch, heads, query_len, key_len].

// The usual dot product.
torch::Tensor dot_scores(const torch::Tensor& query, const torch::Tensor& key);

// −‖q − k‖₁: 0 for equal vectors, negative otherwise; no query is multiplied with a key. The
// gradient of |0| is 0. Never stores anything of size query_len × key_len × head_dim.
torch::Tensor l1_scores(const torch::Tensor& query, const torch::Tensor& key);

}  // namespace eatt
