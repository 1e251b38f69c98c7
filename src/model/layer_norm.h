#pragma once

#include <torch/torch.h>

#include "bundle/architecture.h"

namespace eatt {

// The norm of a model's layers, over model_dim.
torch::nn::LayerNorm layer_norm(const Architecture& architecture);

// norm(x): by our kernel for float on the CPU, else by libtorch's operator.
torch::Tensor normalise(const torch::Tensor& x, torch::nn::LayerNorm& norm);

}  // namespace eatt
