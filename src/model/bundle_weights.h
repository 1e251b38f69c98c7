#pragma once

#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "model/mechanisms.h"
#include "model/transformer.h"

namespace eatt {

NamedWeights weights_of(const torch::nn::Module& model);
// A copy of all tensors of a bundle; an Error if it is not float32.
NamedWeights weights_of(const Bundle& bundle);

// A tensor's bytes for a file; it must be float32, contiguous, on the CPU, and outlive the view.
TensorView view_of(const std::string& name, const torch::Tensor& tensor);

// Why a tensor of the model did not get the given weights.
struct Misfit {
  std::string name;
  std::string reason;  // "it has none", "[8, 4] there, [8, 6] here"
};

// Copies what fits by name and shape into the model; the rest of the model stays as it is.
std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model);

// The model of a bundle, ready to compute: everything fits, or it is an Error.
Transformer load_transformer(const Bundle& bundle);

}  // namespace eatt
