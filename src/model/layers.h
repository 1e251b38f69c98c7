#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>

#include "bundle/architecture.h"
#include "model/attention_scores.h"
#include "model/building_blocks.h"
#include "model/mechanisms.h"

namespace eatt {

// What an attention can return besides its result; filled only on request.
struct AttentionTrace {
  bool wants_weights = true;       // Without them, memory stays linear in the length.
  bool wants_gradient = false;     // Weights that carry a gradient, by the device-generic way.
  torch::Tensor weights = {};      // [batch, heads, query_len, key_len], before dropout
  torch::Tensor query_input = {};  // X; see AttentionSides.
  // Codes, as integers; undefined without them.
  torch::Tensor query_codes = {};                        // f(X) [batch, query_len, model_dim]
  torch::Tensor key_codes = {};                          // f(Y) [batch, key_len, model_dim]
  torch::Tensor query_selected = {}, key_selected = {};  // See SelectionCodes::selected.
};

// Settings of attention that only training uses.
struct AttentionTraining {
  double dropout = 0.0;  // Of attention weights.
  CodeTraining codes;
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
                        const AttentionMask& mask, torch::Tensor* weights, bool fused);
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

// Shares of numbers that training drops; all 0 makes a model deterministic.
struct DropoutRates {
  double residual = 0.1;   // On embeddings and on the result of every sub-layer.
  double attention = 0.0;  // On attention weights.
  double ffn = 0.0;        // On the feed-forward's hidden units.
};

struct ModelTraining {
  DropoutRates dropout;
  CodeTraining codes;
  std::shared_ptr<Random> random;  // See dropout().
};

// What the decoder reads from the encoder; made once per batch.
struct Memory {
  torch::Tensor states;  // [batch, source_len, model_dim], normed
  SelectionCodes codes;  // f(states) for cross-attentions that read codes; else undefined
  torch::Tensor lengths;
};

// What flows from layer to layer: [batch, len, model_dim].
struct Stream {
  torch::Tensor x;
  // The same sums of embeddings and results of sub-layers (which have read x) without dropout, for
  // CodeTraining::without_dropout in training; else undefined.
  torch::Tensor undropped = {};
};

Stream normalise(const Stream& stream, torch::nn::LayerNorm& norm);

// x + sublayer(norm(x)), or norm(x + sublayer(x)) in post-norm; dropout on the sub-layer's result.
struct ResidualConnection {
  NormPlacement placement;
  double dropout;
  std::shared_ptr<Random> random;

  Stream operator()(const Stream& stream, torch::nn::LayerNorm& norm, bool training,
                    const std::function<torch::Tensor(const Stream&)>& sublayer) const;
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
  Stream forward(const Stream& stream, const AttentionMask& mask, AttentionTrace* trace);

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
  Stream forward(const Stream& stream, const AttentionMask& self_mask, const Memory& memory,
                 const AttentionMask& cross_mask, DecoderLayerTrace trace);

 private:
  ResidualConnection residual_;
  AttentionLayer self_attn_{nullptr}, cross_attn_{nullptr};
  FeedForward ffn_;
  torch::nn::LayerNorm self_attn_layer_norm_{nullptr}, cross_attn_layer_norm_{nullptr},
      ffn_layer_norm_{nullptr};
};
TORCH_MODULE(DecoderLayer);

}  // namespace eatt
