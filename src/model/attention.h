#pragma once

#include <torch/torch.h>

#include <memory>

#include "bundle/architecture.h"
#include "model/attention_scores.h"
#include "model/dropout.h"
#include "model/fused_attention.h"
#include "model/mechanisms.h"

namespace eatt {

// What an attention can return besides its result; filled only on request.
struct AttentionTrace {
  bool wants_weights = true;   // Without them, memory stays linear in the length.
  torch::Tensor weights = {};  // [batch, heads, query_len, key_len], before dropout
  // Codes, as integers; undefined without them.
  torch::Tensor query_codes = {};  // f(X) [batch, query_len, model_dim]
  torch::Tensor key_codes = {};    // f(Y) [batch, key_len, model_dim]
};

// Settings of attention that only training uses.
struct AttentionTraining {
  double dropout = 0.0;            // Of attention weights.
  double surrogate_width = 1.0;    // See binarise().
  std::shared_ptr<Random> random;  // See dropout().
};

// One attention sub-layer: scores → mask → softmax → dropout → ·V → output projection. Mechanisms
// differ in how scores are made and in nothing else. Names and shapes of the weights are those of
// bundle/expected_tensors.h.
class AttentionLayerImpl : public torch::nn::Module {
 public:
  AttentionLayerImpl(const Architecture& architecture, Role role, size_t layer,
                     const AttentionTraining& training);

  // `mask` is one for scores of [batch, heads, query_len, key_len]. → [batch, query_len, model_dim]
  torch::Tensor forward(const AttentionSides& sides, const AttentionMask& mask,
                        AttentionTrace* trace = nullptr);

 private:
  torch::Tensor context(const Scores& scores, const torch::Tensor& values,
                        const AttentionMask& mask, torch::Tensor* weights);
  torch::Tensor fused_context(const Scores& scores, const torch::Tensor& values,
                              const AttentionMask& mask, torch::Tensor* weights) const;
  torch::Tensor table_of(const Scores& scores) const;
  torch::Tensor split_heads(const torch::Tensor& x) const;

  int64_t heads_;
  AttentionTraining training_;
  std::unique_ptr<Scorer> scorer_;
  torch::nn::Linear v_proj_{nullptr}, out_proj_{nullptr};
};
TORCH_MODULE(AttentionLayer);

}  // namespace eatt
