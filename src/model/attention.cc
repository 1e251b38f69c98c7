#include "model/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "model/attention_scores.h"
#include "model/binary_selection.h"
#include "model/initialisation.h"
#include "model/selective_linear.h"

namespace eatt {

AttentionLayerImpl::AttentionLayerImpl(const Architecture& architecture, Role role, size_t layer,
                                       const AttentionTraining& training)
    : mechanism_(architecture.attention(role).layers.at(layer)),
      heads_(torch_size(architecture.heads)),
      max_length_(torch_size(architecture.max_length)),
      score_factor_(1.0 / score_divisor(architecture, role)),
      training_(training) {
  create_scores(architecture, role);
  v_proj_ = register_module("v_proj", linear(architecture.model_dim, architecture.attention_dim));
  out_proj_ =
      register_module("out_proj", linear(architecture.attention_dim, architecture.model_dim));
}

// The weights that scores come from; the order of creation is the order of expected_tensors().
void AttentionLayerImpl::create_scores(const Architecture& architecture, Role role) {
  if (mechanism_ == Mechanism::dense) {
    w1_ =
        register_module("w1", linear(architecture.model_dim, architecture.qk_dim, /*bias=*/false));
    auto second = torch::nn::Module::register_module("w2", std::make_shared<torch::nn::Module>());
    w2_ = second->register_parameter(
        "weight", xavier_uniform({heads_, max_length_, torch_size(architecture.qk_head_dim())}));
    return;
  }
  if (mechanism_ == Mechanism::randinit) {
    score_table_ =
        register_parameter("score_table", xavier_uniform({heads_, max_length_, max_length_}));
    return;
  }
  q_proj_ = register_module("q_proj", linear(architecture.model_dim, architecture.qk_dim));
  k_proj_ = register_module("k_proj", linear(architecture.model_dim, architecture.qk_dim));
  const ScoreScale& scale = architecture.attention(role).scale;
  if (scale.kind == ScaleKind::learned) {
    score_scale_ = register_parameter("score_scale", torch::full({heads_}, 1.0 / scale.divisor));
  }
  if (!binarises(mechanism_)) return;
  query_threshold_ = torch::tensor(architecture.threshold.value);
  if (architecture.threshold.learned) {
    query_threshold_ = register_parameter(
        role == Role::cross ? "q_threshold" : "threshold",
        torch::full({torch_size(architecture.model_dim)}, architecture.threshold.value));
  }
}

torch::Tensor AttentionLayerImpl::forward(const AttentionInput& input, AttentionTrace* trace) {
  const auto values = v_proj_->forward(input.key_side);  // [batch, key_len, heads·n]
  if (mechanism_ == Mechanism::dense) return by_scores(dense_scores(input), values, input, trace);
  if (mechanism_ == Mechanism::randinit)
    return by_scores(table_scores(input), values, input, trace);
  const QueryKey pair = project(input, trace);
  if (!fused_attention_takes(pair.query, values))
    return by_scores(pairwise_scores(pair), values, input, trace);
  const auto mixed =
      fused_attention(pair.query, pair.key, values, input.mask, fused_options(),
                      trace != nullptr && trace->wants_weights ? &trace->weights : nullptr);
  return out_proj_->forward(mixed);
}

// The device-generic way, with all scores [batch, heads, query_len, key_len] in memory.
torch::Tensor AttentionLayerImpl::by_scores(const torch::Tensor& scores,
                                            const torch::Tensor& values,
                                            const AttentionInput& input, AttentionTrace* trace) {
  auto weights = input.mask.softmax(scores);
  if (trace != nullptr && trace->wants_weights) trace->weights = weights;
  if (is_training() && training_.dropout > 0)
    weights = drop_attention(weights, training_.dropout, training_.random);
  const auto mixed = torch::matmul(weights, split_heads(values));
  return out_proj_->forward(mixed.transpose(1, 2).flatten(2));
}

FusedAttentionOptions AttentionLayerImpl::fused_options() const {
  FusedAttentionOptions options = {
      .kind = scores_by_distance(mechanism_) ? kernels::ScoreKind::l1 : kernels::ScoreKind::dot,
      .heads = heads_,
      .factor = score_factor_};
  if (is_training() && training_.dropout > 0) {
    options.dropout = training_.dropout;
    options.dropout_seed = draw_dropout_seed(training_.random);
  }
  return options;
}

AttentionLayerImpl::QueryKey AttentionLayerImpl::project(const AttentionInput& input,
                                                         AttentionTrace* trace) {
  QueryKey pair;
  if (binarises(mechanism_)) {
    const auto query_codes =
        binarise(input.query_side, query_threshold_, training_.surrogate_width);
    const bool self_attention = input.key_side.is_same(input.query_side);
    const auto key_codes =
        input.key_codes.defined() ? input.key_codes
        : self_attention          ? query_codes
                         : binarise(input.key_side, query_threshold_, training_.surrogate_width);
    if (trace != nullptr) {
      trace->query_codes = query_codes.values;
      trace->key_codes = key_codes.values;
    }
    pair = {selective_linear(query_codes, q_proj_->weight, q_proj_->bias),
            selective_linear(key_codes, k_proj_->weight, k_proj_->bias)};
  } else {
    pair = {q_proj_->forward(input.query_side), k_proj_->forward(input.key_side)};
  }
  if (!score_scale_.defined()) return pair;
  // A learned factor goes into the vectors: both sides for distances, which scale with them.
  const auto scale = score_scale_.clamp_min(kLeastScoreScale).view({-1, 1});
  const auto scaled = [&](const torch::Tensor& x) {
    return (x.unflatten(-1, {heads_, -1}) * scale).flatten(-2);
  };
  pair.query = scaled(pair.query);
  if (scores_by_distance(mechanism_)) pair.key = scaled(pair.key);
  return pair;
}

torch::Tensor AttentionLayerImpl::pairwise_scores(const QueryKey& pair) const {
  const auto query = split_heads(pair.query), key = split_heads(pair.key);
  const auto raw = scores_by_distance(mechanism_) ? l1_scores(query, key) : dot_scores(query, key);
  return score_factor_ == 1.0 ? raw : raw * score_factor_;
}

// Score (i, j) is row j of W2 applied to relu(W1·Xi): positions are looked up, keys never read.
torch::Tensor AttentionLayerImpl::dense_scores(const AttentionInput& input) {
  const auto hidden = split_heads(torch::relu(w1_->forward(input.query_side)));
  const auto columns = w2_.slice(1, 0, input.key_side.size(1));  // [heads, key_len, qk_head_dim]
  return torch::matmul(hidden, columns.transpose(-2, -1));
}

torch::Tensor AttentionLayerImpl::table_scores(const AttentionInput& input) {
  const auto table = score_table_.slice(1, 0, input.query_side.size(1))
                         .slice(2, 0, input.key_side.size(1))
                         .unsqueeze(0);
  return table.expand({input.query_side.size(0), -1, -1, -1});
}

// [batch, len, heads·n] → [batch, heads, len, n]
torch::Tensor AttentionLayerImpl::split_heads(const torch::Tensor& x) const {
  return x.unflatten(-1, {heads_, -1}).transpose(1, 2);
}

}  // namespace eatt
