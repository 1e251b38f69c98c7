#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>

#include "model/attention.h"

namespace eatt {

// Shares of numbers that training drops; all 0 makes a model deterministic.
struct DropoutRates {
  double residual = 0.1;   // On embeddings and on the result of every sub-layer.
  double attention = 0.0;  // On attention weights.
  double ffn = 0.0;        // On the feed-forward's hidden units.
};

struct ModelTraining {
  DropoutRates dropout;
  double surrogate_width = 1.0;    // See binarise().
  std::shared_ptr<Random> random;  // See dropout().
};

// What the decoder reads from the encoder; made once per batch.
struct Memory {
  torch::Tensor states;  // [batch, source_len, model_dim], normed
  SelectionCodes codes;  // f(states) for cross-attentions that read codes; else undefined
  torch::Tensor lengths;
};

// x + sublayer(norm(x)), or norm(x + sublayer(x)) in post-norm; dropout on the sub-layer's result.
struct ResidualConnection {
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
  ResidualConnection residual_;
  AttentionLayer self_attn_{nullptr};
  FeedForward ffn_;
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr}, ffn_layer_norm_{nullptr};
};
TORCH_MODULE(EncoderLayer);

// What a decoder layer can return besides its result.
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
  ResidualConnection residual_;
  AttentionLayer self_attn_{nullptr}, cross_attn_{nullptr};
  FeedForward ffn_;
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr}, cross_attn_layer_norm_{nullptr},
      ffn_layer_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

}  // namespace eatt
