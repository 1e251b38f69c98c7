#include "model/attention_scores.h"

#include "model/fused.h"
#include "model/fused_scores.h"

namespace eatt {

torch::Tensor dot_scores(const torch::Tensor& query, const torch::Tensor& key) {
  return torch::matmul(query, key.transpose(-2, -1));
}

torch::Tensor l1_scores(const torch::Tensor& query, const torch::Tensor& key) {
  if (fused_kernels_take(query)) return fused_l1_scores(query, key);
  // The device-generic path: cdist keeps no head_dim axis, broadcasting query − key would.
  return torch::cdist(query.contiguous(), key.contiguous(), /*p=*/1.0).neg();
}

}  // namespace eatt
