#pragma once

#include <torch/torch.h>

#include "bundle/architecture.h"
#include "model/attention_mask.h"
#include "model/dropout.h"
#include "model/fused_attention.h"
#include "model/selection_codes.h"

namespace eatt {

// What an attention sub-layer looks at.
struct AttentionInput {
  torch::Tensor query_side;  // X [batch, query_len, model_dim], after its layer norm
  torch::Tensor key_side;  // Y [batch, key_len, model_dim]; the same tensor as X in self-attention
  SelectionCodes key_codes;   // f(Y), where the caller made it for several layers; else undefined
  const AttentionMask& mask;  // For scores of [batch, heads, query_len, key_len]
};

// What it can hand out beside its result; filled only when asked for.
struct AttentionTrace {
  bool wants_weights = true;   // Without, memory stays linear in the length.
  torch::Tensor weights = {};  // [batch, heads, query_len, key_len], before dropout
  torch::Tensor query_codes =
      {};                        // f(X) [batch, query_len, model_dim]; undefined without selection
  torch::Tensor key_codes = {};  // f(Y) [batch, key_len, model_dim]
};

// What training decides about attention, and a finished model no longer has.
struct AttentionTraining {
  double dropout = 0.0;            // Of attention weights.
  double surrogate_width = 1.0;    // See binarise().
  std::shared_ptr<Random> random;  // See dropout().
};

// One attention sub-layer: scores → mask → softmax → dropout → ·V → output projection. Mechanisms
// differ in how scores come about and in nothing else. Names and shapes of the weights are those of
// bundle/expected_tensors.h.
class AttentionLayerImpl : public torch::nn::Module {
 public:
  AttentionLayerImpl(const Architecture& architecture, Role role, size_t layer,
                     const AttentionTraining& training);

  // → [batch, query_len, model_dim]
  torch::Tensor forward(const AttentionInput& input, AttentionTrace* trace = nullptr);

  Mechanism mechanism() const { return mechanism_; }
  // τ of the queries, as a tensor of one element or one per feature.
  const torch::Tensor& query_threshold() const { return query_threshold_; }

 private:
  void create_scores(const Architecture& architecture, Role role);
  struct QueryKey {
    torch::Tensor query, key;  // [batch, len, heads·n]; a learned factor is in them
  };
  QueryKey project(const AttentionInput& input, AttentionTrace* trace);
  torch::Tensor by_scores(const torch::Tensor& scores, const torch::Tensor& values,
                          const AttentionInput& input, AttentionTrace* trace);
  FusedAttentionOptions fused_options() const;
  torch::Tensor pairwise_scores(const QueryKey& pair) const;
  torch::Tensor dense_scores(const AttentionInput& input);
  torch::Tensor table_scores(const AttentionInput& input);
  torch::Tensor split_heads(const torch::Tensor& x) const;

  Mechanism mechanism_;
  int64_t heads_;
  int64_t max_length_;
  double score_factor_;  // 1 / divisor; 1 where the factor is learned or folded.
  AttentionTraining training_;

  torch::nn::Linear q_proj_{nullptr}, k_proj_{nullptr}, v_proj_{nullptr}, out_proj_{nullptr};
  torch::nn::Linear w1_{nullptr};  // dense
  torch::Tensor w2_;               // dense: [heads, max_length, qk_head_dim]
  torch::Tensor score_table_;      // randinit: [heads, max_length, max_length]
  torch::Tensor score_scale_;      // [heads], where learned
  torch::Tensor query_threshold_;  // A parameter [model_dim] where learned, else a constant []
};
TORCH_MODULE(AttentionLayer);

}  // namespace eatt
