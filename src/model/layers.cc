#include "model/layers.h"

#include "model/building_blocks.h"
#include "model/products.h"

namespace eatt {
namespace {

AttentionTraining attention_training(const ModelTraining& training) {
  return {
      .dropout = training.dropout.attention, .codes = training.codes, .random = training.random};
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

AttentionSides self_sides(const Stream& stream) {
  return {.query = stream.x, .key = stream.x, .undropped_query = stream.undropped};
}

}  // namespace

Stream normalise(const Stream& stream, torch::nn::LayerNorm& norm) {
  return {normalise(stream.x, norm),
          stream.undropped.defined() ? normalise(stream.undropped, norm) : torch::Tensor()};
}

Stream ResidualConnection::operator()(
    const Stream& stream, torch::nn::LayerNorm& norm, bool training,
    const std::function<torch::Tensor(const Stream&)>& sublayer) const {
  const bool pre = placement == NormPlacement::pre;
  const auto& x = stream.x;
  const auto delta = sublayer(pre ? normalise(stream, norm) : stream);
  Stream sum;
  sum.x = training && dropout > 0 ? add_dropped(x, delta, dropout, random) : x + delta;
  if (stream.undropped.defined()) sum.undropped = stream.undropped + delta;
  return pre ? sum : normalise(sum, norm);
}

torch::Tensor FeedForward::operator()(const torch::Tensor& x, bool training) {
  return project(hidden_units(x, fc1, training ? dropout : 0, random), fc2);
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

Stream EncoderLayerImpl::forward(const Stream& stream, const AttentionMask& mask,
                                 AttentionTrace* trace) {
  const auto attended = residual_(
      stream, self_attn_layer_norm_, is_training(),
      [&](const Stream& normed) { return self_attn_->forward(self_sides(normed), mask, trace); });
  return residual_(attended, ffn_layer_norm_, is_training(),
                   [&](const Stream& normed) { return ffn_(normed.x, is_training()); });
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

Stream DecoderLayerImpl::forward(const Stream& stream, const AttentionMask& self_mask,
                                 const Memory& memory, const AttentionMask& cross_mask,
                                 DecoderLayerTrace trace) {
  const auto self =
      residual_(stream, self_attn_layer_norm_, is_training(), [&](const Stream& normed) {
        return self_attn_->forward(self_sides(normed), self_mask, trace.self);
      });
  const auto cross =
      residual_(self, cross_attn_layer_norm_, is_training(), [&](const Stream& normed) {
        return cross_attn_->forward({.query = normed.x,
                                     .key = memory.states,
                                     .key_codes = memory.codes,
                                     .undropped_query = normed.undropped},
                                    cross_mask, trace.cross);
      });
  return residual_(cross, ffn_layer_norm_, is_training(),
                   [&](const Stream& normed) { return ffn_(normed.x, is_training()); });
}

AttentionLayerImpl::AttentionLayerImpl(const Architecture& architecture, Role role, size_t layer,
                                       const AttentionTraining& training)
    : heads_(torch_size(architecture.heads)), training_(training) {
  scorer_ = make_scorer(
      *this, {.architecture = architecture, .role = role, .layer = layer, .codes = training.codes});
  v_proj_ = register_module("v_proj", linear(architecture.model_dim, architecture.attention_dim));
  out_proj_ =
      register_module("out_proj", linear(architecture.attention_dim, architecture.model_dim));
}

torch::Tensor AttentionLayerImpl::forward(const AttentionSides& sides, const AttentionMask& mask,
                                          AttentionTrace* trace) {
  const auto values = project(sides.key, v_proj_);  // [batch, key_len, heads·n]
  const Scores scores = scorer_->score(sides);
  torch::Tensor* weights = nullptr;
  if (trace != nullptr) {
    const auto in_units = [&](const torch::Tensor& codes) {
      return codes.defined() ? (codes / scores.code_unit).round() : codes;
    };
    trace->query_input = sides.query;
    trace->query_codes = in_units(scores.query_codes);
    trace->key_codes = in_units(scores.key_codes);
    trace->query_selected = scores.query_selected;
    trace->key_selected = scores.key_selected;
    if (trace->wants_weights) weights = &trace->weights;
  }
  const bool fused = trace == nullptr || !trace->wants_gradient;
  return project(context(scores, values, mask, weights, fused), out_proj_);
}

// softmax(scores)·V: [batch, query_len, heads·n]
torch::Tensor AttentionLayerImpl::context(const Scores& scores, const torch::Tensor& values,
                                          const AttentionMask& mask, torch::Tensor* weights,
                                          bool fused) {
  if (fused && scores.are_pairwise() && fused_attention_takes(scores.query, values))
    return fused_context(scores, values, mask, weights);
  // The device-generic way, with all scores [batch, heads, query_len, key_len] in memory.
  auto softmax = mask.softmax(scores.are_pairwise() ? table_of(scores) : scores.table);
  if (weights != nullptr) *weights = softmax;
  if (is_training() && training_.dropout > 0)
    softmax = drop_attention(softmax, training_.dropout, training_.random);
  return torch::matmul(softmax, split_heads(values)).transpose(1, 2).flatten(2);
}

torch::Tensor AttentionLayerImpl::fused_context(const Scores& scores, const torch::Tensor& values,
                                                const AttentionMask& mask,
                                                torch::Tensor* weights) const {
  FusedAttentionOptions options = {.kind = scores.kind, .heads = heads_, .factor = scores.factor};
  if (is_training() && training_.dropout > 0) {
    options.dropout = training_.dropout;
    options.dropout_seed = draw_dropout_seed(training_.random);
  }
  return fused_attention(scores.query, scores.key, values, mask, options, weights);
}

torch::Tensor AttentionLayerImpl::table_of(const Scores& scores) const {
  const auto query = split_heads(scores.query), key = split_heads(scores.key);
  const auto raw =
      scores.kind == kernels::ScoreKind::l1 ? l1_scores(query, key) : dot_scores(query, key);
  return scores.factor == 1.0 ? raw : raw * scores.factor;
}

// [batch, len, heads·n] → [batch, heads, len, n]
torch::Tensor AttentionLayerImpl::split_heads(const torch::Tensor& x) const {
  return x.unflatten(-1, {heads_, -1}).transpose(1, 2);
}

}  // namespace eatt
