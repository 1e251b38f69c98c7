#pragma once

#include <torch/torch.h>

#include <memory>

#include "base/random.h"
#include "kernels/rows/dropout.h"

namespace eatt {

// Sets each number to 0 with probability `rate` and divides the others by 1 − rate, 0 < rate < 1.
// What is dropped is decided by one draw from `random` where it is given and x is on the CPU:
// models that compute side by side have their own, so that what they draw does not depend on each
// other's pace. Else by libtorch's generator.
torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random);

// The same for attention weights [..., key_len], with the mask of the attention kernel.
torch::Tensor drop_attention(const torch::Tensor& weights, double rate,
                             const std::shared_ptr<Random>& random);

// x + dropout(change)
torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& change, double rate,
                          const std::shared_ptr<Random>& random);

// A seed for a kernel that drops by itself, from where dropout() draws.
uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random);

}  // namespace eatt
