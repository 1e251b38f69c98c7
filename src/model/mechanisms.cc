#include "model/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/building_blocks.h"
#include "model/products.h"

namespace eatt {
namespace {

// vanilla, eatt, selection, l1: queries and keys are projections of X and Y, or of their codes, and
// are compared by dot product or by distance.
class PairScorer : public Scorer {
 public:
  PairScorer(torch::nn::Module& owner, const ScorerPlace& place)
      : by_distance_(scores_by_distance(mechanism_at(place))),
        heads_(torch_size(place.architecture.heads)),
        factor_(1.0 / score_divisor(place.architecture, place.role)),
        code_unit_(code_unit(place.architecture)) {
    const Architecture& a = place.architecture;
    q_proj_ = owner.register_module("q_proj", linear(a.model_dim, a.qk_dim));
    k_proj_ = owner.register_module("k_proj", linear(a.model_dim, a.qk_dim));
    const ScoreScale& scale = a.attention(place.role).scale;
    if (scale.kind == ScaleKind::learned) {
      learned_scale_ =
          owner.register_parameter("score_scale", torch::full({heads_}, 1.0 / scale.divisor));
    }
    if (!binarises(mechanism_at(place))) return;
    const char* name = place.role == Role::cross ? "q_threshold" : "threshold";
    coder_.emplace(owner, name, a, place.codes);
  }

  Scores score(const AttentionSides& sides) override {
    Scores scores;
    scores.kind = by_distance_ ? kernels::ScoreKind::l1 : kernels::ScoreKind::dot;
    scores.factor = factor_;
    if (coder_) {
      project_codes(sides, scores);
    } else {
      project_states(sides, scores);
    }
    if (learned_scale_.defined()) scale(scores);
    return scores;
  }

  static Mechanism mechanism_at(const ScorerPlace& place) {
    return place.architecture.attention(place.role).layers.at(place.layer);
  }

 private:
  // Q = X·Wq + bq and K = Y·Wk + bk, where Y is X in self-attention.
  void project_states(const AttentionSides& sides, Scores& scores) {
    if (sides.key.is_same(sides.query)) {
      take(project_by_two(sides.query, q_proj_, k_proj_), scores);
      return;
    }
    scores.query = project(sides.query, q_proj_);
    scores.key = project(sides.key, k_proj_);
  }

  static void take(const TwoProjections& both, Scores& scores) {
    scores.query = both.first;
    scores.key = both.second;
  }

  // Q = f(X)·Wq + bq and K = f(Y)·Wk + bk, where f(Y) is f(X) in self-attention.
  void project_codes(const AttentionSides& sides, Scores& scores) {
    const SelectionCodes query = (*coder_)(sides.coded_query());
    const SelectionCodes key = sides.key_codes.defined()        ? sides.key_codes
                               : sides.key.is_same(sides.query) ? query
                                                                : (*coder_)(sides.key);
    scores.query_codes = query.values;
    scores.key_codes = key.values;
    scores.query_selected = query.selected;
    scores.key_selected = key.selected;
    scores.code_unit = code_unit_;
    if (key.values.is_same(query.values)) {
      take(select_by_two(query, q_proj_, k_proj_), scores);
      return;
    }
    scores.query = selective_linear(query, q_proj_->weight, q_proj_->bias);
    scores.key = selective_linear(key, k_proj_->weight, k_proj_->bias);
  }

  // A learned factor goes into the vectors: both sides for distances, which scale with them.
  void scale(Scores& scores) const {
    const auto factor = learned_scale_.clamp_min(kLeastScoreScale).view({-1, 1});
    const auto scaled = [&](const torch::Tensor& x) {
      return (x.unflatten(-1, {heads_, -1}) * factor).flatten(-2);
    };
    scores.query = scaled(scores.query);
    if (by_distance_) scores.key = scaled(scores.key);
  }

  bool by_distance_;
  int64_t heads_;
  double factor_;  // 1 where it is learned or folded.
  double code_unit_;
  torch::nn::Linear q_proj_{nullptr}, k_proj_{nullptr};
  torch::Tensor learned_scale_;  // [heads]
  std::optional<Coder> coder_;
};

// dense: score (i, j) is row j of W2 applied to relu(W1·Xi). Keys are never read.
class DenseScorer : public Scorer {
 public:
  DenseScorer(torch::nn::Module& owner, const Architecture& a) : heads_(torch_size(a.heads)) {
    w1_ = owner.register_module("w1", linear(a.model_dim, a.qk_dim, /*bias=*/false));
    auto second = owner.register_module("w2", std::make_shared<torch::nn::Module>());
    w2_ = second->register_parameter(
        "weight", xavier_uniform({heads_, torch_size(a.max_length), torch_size(a.qk_head_dim())}));
  }

  Scores score(const AttentionSides& sides) override {
    const auto hidden =
        torch::relu(w1_->forward(sides.query)).unflatten(-1, {heads_, -1}).transpose(1, 2);
    const auto columns = w2_.slice(1, 0, sides.key.size(1));  // [heads, key_len, qk_head_dim]
    Scores scores;
    scores.table = torch::matmul(hidden, columns.transpose(-2, -1));
    return scores;
  }

 private:
  int64_t heads_;
  torch::nn::Linear w1_{nullptr};
  torch::Tensor w2_;  // [heads, max_length, qk_head_dim]
};

// randinit: a trained score for every pair of positions. Neither queries nor keys are read.
class TableScorer : public Scorer {
 public:
  TableScorer(torch::nn::Module& owner, const Architecture& a)
      : table_(owner.register_parameter(
            "score_table", xavier_uniform({torch_size(a.heads), torch_size(a.max_length),
                                           torch_size(a.max_length)}))) {}

  Scores score(const AttentionSides& sides) override {
    const auto part =
        table_.slice(1, 0, sides.query.size(1)).slice(2, 0, sides.key.size(1)).unsqueeze(0);
    Scores scores;
    scores.table = part.expand({sides.query.size(0), -1, -1, -1});
    return scores;
  }

 private:
  torch::Tensor table_;  // [heads, max_length, max_length]
};

// An attention with projections of queries and keys.
struct Projections {
  size_t layer;
  std::string prefix;  // "encoder.layers.0.self_attn."
  Mechanism mechanism;

  std::string scale_name() const { return prefix + "score_scale"; }

  // Multiplies what scores come from by a factor per head [heads], or by one for all [1].
  void scale(NamedWeights& weights, const torch::Tensor& factor) const {
    scale_heads(weights, prefix + "q_proj", factor);
    if (scores_by_distance(mechanism)) scale_heads(weights, prefix + "k_proj", factor);
  }

 private:
  static void scale_heads(NamedWeights& weights, const std::string& projection,
                          const torch::Tensor& factor) {
    for (const char* part : {".weight", ".bias"}) {
      const auto found = weights.find(projection + part);
      if (found == weights.end()) continue;
      const auto heads = found->second.unflatten(0, {factor.size(0), -1});
      auto shape = std::vector<int64_t>(static_cast<size_t>(heads.dim()), 1);
      shape[0] = factor.size(0);
      found->second = (heads * factor.view(shape)).flatten(0, 1).contiguous();
    }
  }
};

std::vector<Projections> projections_of(const Architecture& architecture, Role role) {
  std::vector<Projections> found;
  const auto& mechanisms = architecture.attention(role).layers;
  for (size_t i = 0; i < mechanisms.size(); ++i) {
    if (!has_queries_and_keys(mechanisms[i])) continue;
    found.push_back(
        {i,
         fmt::format("{}.layers.{}.{}.", role == Role::encoder_self ? "encoder" : "decoder", i,
                     role == Role::cross ? "cross_attn" : "self_attn"),
         mechanisms[i]});
  }
  return found;
}

}  // namespace

std::unique_ptr<Scorer> make_scorer(torch::nn::Module& owner, const ScorerPlace& place) {
  switch (PairScorer::mechanism_at(place)) {
    case Mechanism::vanilla:
    case Mechanism::eatt:
    case Mechanism::selection:
    case Mechanism::l1:
      return std::make_unique<PairScorer>(owner, place);
    case Mechanism::dense:
      return std::make_unique<DenseScorer>(owner, place.architecture);
    case Mechanism::randinit:
      return std::make_unique<TableScorer>(owner, place.architecture);
  }
  throw InternalError("every mechanism has a scorer");
}

Coder::Coder(torch::nn::Module& owner, const std::string& name, const Architecture& architecture,
             CodeTraining training)
    : threshold_(torch::tensor(architecture.threshold.value)),
      architecture_(architecture),
      training_(std::move(training)) {
  if (!architecture.threshold.learned) return;
  threshold_ = owner.register_parameter(
      name, torch::full({torch_size(architecture.model_dim)}, architecture.threshold.value));
}

SelectionCodes Coder::operator()(const torch::Tensor& x) const {
  if (!training_.frozen_now()) return make_codes(x, threshold_, architecture_, training_);
  return make_codes(x.detach(), threshold_.detach(), architecture_, training_);
}

SelectionCodes make_codes(const torch::Tensor& x, const torch::Tensor& threshold,
                          const Architecture& architecture, const CodeTraining& training) {
  if (architecture.code_levels == 0) {
    SelectionCodes codes = binarise(x, threshold, training);
    if (training.wants_selected) codes.selected = codes.values;
    return codes;
  }
  const bool learned = threshold.dim() > 0;
  const auto used = learned ? threshold.clamp_min(kLeastSignedThreshold) : threshold;
  SelectionCodes codes = signed_codes(
      x, used, {.levels = architecture.code_levels, .unit = code_unit(architecture)}, training);
  if (training.wants_selected) codes.selected = binarise(x.abs(), used, training).values;
  return codes;
}

std::optional<Coder> make_memory_coder(torch::nn::Module& decoder, const Architecture& architecture,
                                       const CodeTraining& training) {
  if (std::ranges::none_of(architecture.cross.layers, binarises)) return std::nullopt;
  const auto group = decoder.register_module("cross_attn", std::make_shared<torch::nn::Module>());
  return Coder(*group, "k_threshold", architecture, training);
}

std::vector<CodeProjection> code_projections(const Architecture& architecture) {
  std::vector<CodeProjection> found;
  for (const Role role : kRoles) {
    const bool cross = role == Role::cross;
    for (const Projections& layer : projections_of(architecture, role)) {
      if (!binarises(layer.mechanism)) continue;
      for (const bool of_keys : {false, true}) {
        const std::string projection = layer.prefix + (of_keys ? "k_proj" : "q_proj");
        found.push_back({.role = role,
                         .layer = layer.layer,
                         .reads_memory = cross && of_keys,
                         .weight = projection + ".weight",
                         .bias = projection + ".bias",
                         .threshold = !cross    ? layer.prefix + "threshold"
                                      : of_keys ? "decoder.cross_attn.k_threshold"
                                                : layer.prefix + "q_threshold"});
      }
    }
  }
  return found;
}

void fold_score_scales(Architecture& architecture, NamedWeights& weights) {
  const torch::NoGradGuard no_grad;
  for (const Role role : kRoles) {
    for (const Projections& layer : projections_of(architecture, role)) {
      auto factor =
          torch::full({torch_size(architecture.heads)}, 1.0 / score_divisor(architecture, role));
      const auto learned = weights.find(layer.scale_name());
      if (learned != weights.end()) {
        factor = learned->second.clamp_min(kLeastScoreScale);
        weights.erase(learned);
      }
      layer.scale(weights, factor);
    }
  }
  architecture = with_folded_scales(std::move(architecture));
}

void unfold_score_scales(const Architecture& wanted, const Architecture& folded,
                         NamedWeights& weights) {
  const torch::NoGradGuard no_grad;
  for (const Role role : kRoles) {
    const ScoreScale& scale = wanted.attention(role).scale;
    const bool learned = scale.kind == ScaleKind::learned;
    const double divisor = learned ? scale.divisor : score_divisor(wanted, role);
    for (const Projections& layer : projections_of(folded, role)) {
      layer.scale(weights, torch::full({1}, divisor));
    }
    if (!learned) continue;
    for (const Projections& layer : projections_of(wanted, role)) {
      weights[layer.scale_name()] = torch::full({torch_size(wanted.heads)}, 1 / divisor);
    }
  }
}

}  // namespace eatt
