#include "model/bundle_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "model/initialisation.h"

namespace eatt {
namespace {

struct ScoredLayer {
  std::string prefix;  // "encoder.layers.0.self_attn."
  Mechanism mechanism;
};

// Every attention layer of a role that has queries and keys.
std::vector<ScoredLayer> scored_layers(const Architecture& architecture, Role role) {
  std::vector<ScoredLayer> layers;
  const auto& mechanisms = architecture.attention(role).layers;
  for (size_t i = 0; i < mechanisms.size(); ++i) {
    if (!has_queries_and_keys(mechanisms[i])) continue;
    layers.push_back(
        {fmt::format("{}.layers.{}.{}.", role == Role::encoder_self ? "encoder" : "decoder", i,
                     role == Role::cross ? "cross_attn" : "self_attn"),
         mechanisms[i]});
  }
  return layers;
}

// Multiplies the rows of each head by its factor [heads], or all by one [1].
void scale_heads(NamedWeights& weights, const std::string& projection,
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

void scale_layer(NamedWeights& weights, const ScoredLayer& layer, const torch::Tensor& factor) {
  scale_heads(weights, layer.prefix + "q_proj", factor);
  if (scores_by_distance(layer.mechanism)) scale_heads(weights, layer.prefix + "k_proj", factor);
}

constexpr std::array kAllRoles = {Role::encoder_self, Role::decoder_self, Role::cross};

}  // namespace

NamedWeights weights_of(const torch::nn::Module& model) {
  NamedWeights weights;
  for (const auto& item : model.named_parameters()) {
    weights[item.key()] = item.value().detach().to(torch::kCPU, torch::kFloat);
  }
  return weights;
}

NamedWeights weights_of(const Bundle& bundle) {
  if (bundle.manifest().precision == Precision::int8) {
    throw Error(fmt::format("{}: is an int8 bundle; training needs the float32 one",
                            bundle.path().string()));
  }
  NamedWeights weights;
  for (const TensorInfo& info : bundle.weights().tensors()) {
    const auto values = bundle.weights().values<float>(info.name);
    const std::vector<int64_t> shape(info.shape.begin(), info.shape.end());
    weights[info.name] =
        torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat).clone();
  }
  return weights;
}

TensorView view_of(const std::string& name, const torch::Tensor& tensor) {
  const auto sizes = tensor.sizes();
  return {name, Dtype::f32, Shape(sizes.begin(), sizes.end()),
          std::as_bytes(std::span(tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())))};
}

void fold_score_scales(Architecture& architecture, NamedWeights& weights) {
  const torch::NoGradGuard no_grad;
  for (const Role role : kAllRoles) {
    for (const ScoredLayer& layer : scored_layers(architecture, role)) {
      auto factor =
          torch::full({torch_size(architecture.heads)}, 1.0 / score_divisor(architecture, role));
      const auto learned = weights.find(layer.prefix + "score_scale");
      if (learned != weights.end()) {
        factor = learned->second.clamp_min(kLeastScoreScale);
        weights.erase(learned);
      }
      scale_layer(weights, layer, factor);
    }
  }
  architecture = with_folded_scales(std::move(architecture));
}

void unfold_score_scales(const Architecture& wanted, const Architecture& folded,
                         NamedWeights& weights) {
  const torch::NoGradGuard no_grad;
  for (const Role role : kAllRoles) {
    const ScoreScale& scale = wanted.attention(role).scale;
    const bool learned = scale.kind == ScaleKind::learned;
    const double divisor = learned ? scale.divisor : score_divisor(wanted, role);
    for (const ScoredLayer& layer : scored_layers(folded, role)) {
      scale_layer(weights, layer, torch::full({1}, divisor));
    }
    if (!learned) continue;
    for (const ScoredLayer& layer : scored_layers(wanted, role)) {
      weights[layer.prefix + "score_scale"] = torch::full({torch_size(wanted.heads)}, 1 / divisor);
    }
  }
}

std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  std::vector<Misfit> misfits;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end()) {
      misfits.push_back({item.key(), "it has none"});
    } else if (found->second.sizes() != item.value().sizes()) {
      misfits.push_back({item.key(), fmt::format("[{}] there, [{}] here",
                                                 fmt::join(found->second.sizes().vec(), ", "),
                                                 fmt::join(item.value().sizes().vec(), ", "))});
    } else {
      item.value().copy_(found->second);
    }
  }
  return misfits;
}

Transformer load_transformer(const Bundle& bundle) {
  Transformer model(bundle.architecture(), ModelTraining{});
  const auto misfits = copy_weights(weights_of(bundle), *model);
  expects(misfits.empty(), "a bundle that was opened has every tensor of its architecture");
  model->eval();
  return model;
}

}  // namespace eatt
