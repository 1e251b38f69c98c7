#pragma once

#include <torch/torch.h>

namespace eatt {

// A size as libtorch counts it.
inline int64_t torch_size(size_t size) { return static_cast<int64_t>(size); }

// How weights start: Xavier-uniform matrices, zero biases, as the Transformer's authors have it.
// All draw from libtorch's generator, in the order of creation.
torch::nn::Linear linear(int64_t in, int64_t out, bool bias = true);
torch::Tensor xavier_uniform(torch::IntArrayRef shape);  // Fans are the last two sizes.

// Rows with mean 0 and standard deviation model_dim^−½, so that times √model_dim they match the
// positions in size and as output weights they give logits near 0.
torch::Tensor embedding_weights(int64_t vocab, int64_t model_dim);

// sin and cos of geometrically spaced frequencies, first halves sines: [length, model_dim]
torch::Tensor sinusoidal_positions(int64_t length, int64_t model_dim);

}  // namespace eatt
