#pragma once

#include <torch/torch.h>

#include <memory>

#include "base/random.h"

namespace eatt {

// dropout(relu(linear(x))), the hidden units of a feed-forward layer: what follows the product is
// one pass of our kernel for float on the CPU, else libtorch's operators. A rate of 0 drops
// nothing; see dropout() for `random`.
torch::Tensor hidden_units(const torch::Tensor& x, torch::nn::Linear& linear, double dropout_rate,
                           const std::shared_ptr<Random>& random);

}  // namespace eatt
