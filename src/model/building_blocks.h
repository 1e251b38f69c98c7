#pragma once

#include <torch/torch.h>

#include <memory>

#include "base/random.h"
#include "bundle/architecture.h"

namespace eatt {

// A size as libtorch counts it.
inline int64_t torch_size(size_t size) { return static_cast<int64_t>(size); }

// Initial weights: Xavier-uniform matrices and zero biases, as the Transformer's authors chose. All
// draw from libtorch's generator, in the order of creation.
torch::nn::Linear linear(size_t in, size_t out, bool bias = true);
torch::Tensor xavier_uniform(torch::IntArrayRef shape);  // Fans are the last two sizes.

// Rows with mean 0 and standard deviation model_dim^−½, so that times √model_dim they match the
// positions in size and as output weights they give logits near 0.
torch::Tensor embedding_weights(size_t vocab, size_t model_dim);

// Sines, then cosines, of geometrically spaced frequencies: [length, model_dim]
torch::Tensor sinusoidal_positions(int64_t length, size_t model_dim);

// The norm of a model's layers, over model_dim.
torch::nn::LayerNorm layer_norm(const Architecture& architecture);

// norm(x): by our kernel for float on the CPU, else by libtorch's operator.
torch::Tensor normalise(const torch::Tensor& x, torch::nn::LayerNorm& norm);

// dropout(relu(linear(x))), the hidden units of a feed-forward layer: what follows the product is
// one pass of our kernel for float on the CPU, else libtorch's operators. A rate of 0 drops
// nothing; see dropout() for `random`.
torch::Tensor hidden_units(const torch::Tensor& x, torch::nn::Linear& linear, double dropout_rate,
                           const std::shared_ptr<Random>& random);

}  // namespace eatt
