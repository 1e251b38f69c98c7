#pragma once

#include <torch/torch.h>

#include "kernels/rows/dropout.h"

namespace eatt {

// dropout.h's functions by our kernels: float on the CPU, any shape, one pass over memory forward
// and one backward; between them nothing is kept but the seed.

torch::Tensor fused_dropout(const torch::Tensor& x, const kernels::Dropout& dropout);
torch::Tensor fused_add_dropped(const torch::Tensor& x, const torch::Tensor& change,
                                const kernels::Dropout& dropout);

}  // namespace eatt
