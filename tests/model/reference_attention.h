#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "bundle/architecture.h"

namespace eatt::testing {

using Parameters = std::map<std::string, torch::Tensor>;

struct ReferenceAttention {
  torch::Tensor output;   // [query_len, model_dim]
  torch::Tensor weights;  // [heads, query_len, key_len]
};

// One sentence through one attention, written as plain loops over doubles, straight from the
// definitions: x [query_len, model_dim], y [key_len, model_dim], keys at or beyond key_length
// hidden, later keys too if causal. Slow and obvious.
ReferenceAttention reference_attention(const Architecture& architecture, Role role,
                                       const Parameters& parameters, const torch::Tensor& x,
                                       const torch::Tensor& y, int64_t key_length, bool causal);

}  // namespace eatt::testing
