#include "training/run/runtime_model.h"

#include <fmt/format.h>

#include "base/error.h"

namespace eatt {
namespace {

NamedWeights contiguous(NamedWeights weights) {
  for (auto& [name, tensor] : weights) tensor = tensor.contiguous();
  return weights;
}

std::span<const float> values_of(const NamedWeights& weights, std::string_view name) {
  const auto found = weights.find(std::string(name));
  expects(found != weights.end(), "a model has every tensor of its architecture");
  return {found->second.data_ptr<float>(), static_cast<size_t>(found->second.numel())};
}

}  // namespace

RuntimeModel::RuntimeModel(const Architecture& architecture, NamedWeights weights)
    : weights_(contiguous(std::move(weights))),
      model_(make_float_model(
          architecture, [this](std::string_view name) { return values_of(weights_, name); })) {}

}  // namespace eatt
