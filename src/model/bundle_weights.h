#pragma once

#include <map>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "model/transformer.h"

namespace eatt {

// A model's parameters by name, float32 on the CPU; tensors may be shared with the model.
using NamedWeights = std::map<std::string, torch::Tensor>;

NamedWeights weights_of(const torch::nn::Module& model);
// A copy of all tensors of a bundle; an Error if it is not float32.
NamedWeights weights_of(const Bundle& bundle);

// A tensor's bytes for a file; it must be float32, contiguous, on the CPU, and outlive the view.
TensorView view_of(const std::string& name, const torch::Tensor& tensor);

// Draws the factor of the scores into the projections and drops the tensor that held it, so that a
// finished model spends no multiplication on it: distances are homogeneous, so Q and K take it; dot
// products need it once, in Q. The architecture's scales become `folded`.
void fold_score_scales(Architecture& architecture, NamedWeights& weights);

// The opposite, for training on: projections of a model `folded` are multiplied by the divisors
// that `wanted` has, each by its own mechanism, whatever the wanted one. Where the wanted scale is
// learned, its tensor is made anew.
void unfold_score_scales(const Architecture& wanted, const Architecture& folded,
                         NamedWeights& weights);

// Why a tensor of the model did not get the given weights.
struct Misfit {
  std::string name;
  std::string reason;  // "the bundle has none", "[8, 4] there, [8, 6] here"
};

// Copies what fits by name and shape into the model; the rest of the model stays as it is.
std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model);

// The model of a bundle, ready to compute: everything fits, or it is an Error.
Transformer load_transformer(const Bundle& bundle);

}  // namespace eatt
