#include "model/layers.h"

#include "model/building_blocks.h"
#include "model/dropout.h"

namespace eatt {
namespace {

AttentionTraining attention_training(const ModelTraining& training) {
  return {.dropout = training.dropout.attention,
          .surrogate_width = training.surrogate_width,
          .random = training.random};
}

FeedForward register_feed_forward(torch::nn::Module& owner, const Architecture& architecture,
                                  const ModelTraining& training) {
  FeedForward ffn;
  ffn.fc1 = owner.register_module("fc1", linear(architecture.model_dim, architecture.ffn_dim));
  ffn.fc2 = owner.register_module("fc2", linear(architecture.ffn_dim, architecture.model_dim));
  ffn.dropout = training.dropout.ffn;
  ffn.random = training.random;
  return ffn;
}

}  // namespace

torch::Tensor ResidualConnection::operator()(
    const torch::Tensor& x, torch::nn::LayerNorm& norm, bool training,
    const std::function<torch::Tensor(const torch::Tensor&)>& sublayer) const {
  const bool pre = placement == NormPlacement::pre;
  const auto delta = sublayer(pre ? normalise(x, norm) : x);
  const auto sum = training && dropout > 0 ? add_dropped(x, delta, dropout, random) : x + delta;
  return pre ? sum : normalise(sum, norm);
}

torch::Tensor FeedForward::operator()(const torch::Tensor& x, bool training) {
  return fc2->forward(hidden_units(x, fc1, training ? dropout : 0, random));
}

EncoderLayerImpl::EncoderLayerImpl(const Architecture& architecture, size_t layer,
                                   const ModelTraining& training)
    : residual_{architecture.norm, training.dropout.residual, training.random} {
  self_attn_ = register_module("self_attn", AttentionLayer(architecture, Role::encoder_self, layer,
                                                           attention_training(training)));
  self_attn_layer_norm_ = register_module("self_attn_layer_norm", layer_norm(architecture));
  ffn_ = register_feed_forward(*this, architecture, training);
  ffn_layer_norm_ = register_module("ffn_layer_norm", layer_norm(architecture));
}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                        AttentionTrace* trace) {
  const auto attended = residual_(x, self_attn_layer_norm_, is_training(), [&](const auto& normed) {
    return self_attn_->forward({normed, normed, {}}, mask, trace);
  });
  return residual_(attended, ffn_layer_norm_, is_training(),
                   [&](const auto& normed) { return ffn_(normed, is_training()); });
}

DecoderLayerImpl::DecoderLayerImpl(const Architecture& architecture, size_t layer,
                                   const ModelTraining& training)
    : residual_{architecture.norm, training.dropout.residual, training.random} {
  self_attn_ = register_module("self_attn", AttentionLayer(architecture, Role::decoder_self, layer,
                                                           attention_training(training)));
  self_attn_layer_norm_ = register_module("self_attn_layer_norm", layer_norm(architecture));
  cross_attn_ = register_module(
      "cross_attn", AttentionLayer(architecture, Role::cross, layer, attention_training(training)));
  cross_attn_layer_norm_ = register_module("cross_attn_layer_norm", layer_norm(architecture));
  ffn_ = register_feed_forward(*this, architecture, training);
  ffn_layer_norm_ = register_module("ffn_layer_norm", layer_norm(architecture));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const AttentionMask& self_mask,
                                        const Memory& memory, const AttentionMask& cross_mask,
                                        DecoderLayerTrace trace) {
  const auto self = residual_(x, self_attn_layer_norm_, is_training(), [&](const auto& normed) {
    return self_attn_->forward({normed, normed, {}}, self_mask, trace.self);
  });
  const auto cross =
      residual_(self, cross_attn_layer_norm_, is_training(), [&](const auto& normed) {
        return cross_attn_->forward({normed, memory.states, memory.codes}, cross_mask, trace.cross);
      });
  return residual_(cross, ffn_layer_norm_, is_training(),
                   [&](const auto& normed) { return ffn_(normed, is_training()); });
}

}  // namespace eatt
