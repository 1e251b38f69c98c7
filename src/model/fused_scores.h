#pragma once

#include <torch/torch.h>

namespace eatt {

// −‖q − k‖₁ of all pairs by our kernels, forward and backward: float on the CPU.
//   query [..., queries, n]   key [..., keys, n]   result [..., queries, keys]
torch::Tensor fused_l1_scores(const torch::Tensor& query, const torch::Tensor& key);

}  // namespace eatt
