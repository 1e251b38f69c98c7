#include "model/bundle_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace eatt {

NamedWeights weights_of(const torch::nn::Module& model) {
  NamedWeights weights;
  for (const auto& item : model.named_parameters()) {
    weights[item.key()] = item.value().detach().to(torch::kCPU, torch::kFloat);
  }
  return weights;
}

NamedWeights weights_of(const Bundle& bundle) {
  if (bundle.manifest().precision == Precision::int8) {
    throw Error(
        fmt::format("{}: is an int8 bundle; this command needs the float32 one it was made of",
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

std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  std::vector<Misfit> misfits;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end()) {
      misfits.push_back({item.key(), "the bundle has no such tensor"});
    } else if (found->second.sizes() != item.value().sizes()) {
      misfits.push_back({item.key(), fmt::format("[{}] in the bundle, [{}] here",
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
