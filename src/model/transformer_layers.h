#pragma once

#include <torch/torch.h>

#include <functional>

#include "model/attention.h"
#include "model/model_types.h"

namespace eatt {

// x + sublayer(norm(x)), or norm(x + sublayer(x)) in post-norm; dropout on the sub-layer's result.
struct Residual {
  NormPlacement placement;
  double dropout;
  std::shared_ptr<Random> random;

  torch::Tensor operator()(
      const torch::Tensor& x, torch::nn::LayerNorm& norm, bool training,
      const std::function<torch::Tensor(const torch::Tensor&)>& sublayer) const;
};

// fc2(relu(fc1(x))), registered by the layer that owns it under the names of the bundle.
struct FeedForward {
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
  double dropout = 0;
  std::shared_ptr<Random> random;

  torch::Tensor operator()(const torch::Tensor& x, bool training);
};

// Self-attention and feed-forward.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  EncoderLayerImpl(const Architecture& architecture, size_t layer, const ModelTraining& training);
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask, AttentionTrace* trace);

 private:
  Residual residual_;
  AttentionLayer self_attn_{nullptr};
  FeedForward ffn_;
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr}, ffn_layer_norm_{nullptr};
};
TORCH_MODULE(EncoderLayer);

// What a decoder layer may hand out.
struct DecoderLayerTrace {
  AttentionTrace* self = nullptr;
  AttentionTrace* cross = nullptr;
};

// Causal self-attention, cross-attention, feed-forward.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  DecoderLayerImpl(const Architecture& architecture, size_t layer, const ModelTraining& training);
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& self_mask,
                        const Memory& memory, const AttentionMask& cross_mask,
                        DecoderLayerTrace trace);

 private:
  Residual residual_;
  AttentionLayer self_attn_{nullptr}, cross_attn_{nullptr};
  FeedForward ffn_;
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr}, cross_attn_layer_norm_{nullptr},
      ffn_layer_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

}  // namespace eatt
