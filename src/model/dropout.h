#pragma once

#include <torch/torch.h>

#include <memory>

#include "base/random.h"
#include "kernels/rows/dropout.h"

namespace eatt {

// Sets each number to 0 with probability `rate` and divides the others by 1 − rate, 0 < rate < 1.
// One draw from `random` decides what is dropped if it is given and x is on the CPU: models that
// compute side by side each have their own, so that what one draws does not depend on timing.
// Otherwise libtorch's generator decides.
torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random);

// The same for attention weights [..., key_len], with the mask of the attention kernel.
torch::Tensor drop_attention(const torch::Tensor& weights, double rate,
                             const std::shared_ptr<Random>& random);

// x + dropout(delta)
torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& delta, double rate,
                          const std::shared_ptr<Random>& random);

// A seed for a kernel that drops by itself, drawn as in dropout().
uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random);

}  // namespace eatt
