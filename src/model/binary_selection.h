#pragma once

#include <torch/torch.h>

#include "model/selection_codes.h"

namespace eatt {

// E-ATT's selection code: 1 where x > threshold, else 0. Multiplying it with a weight matrix adds
// up the selected rows, so no multiplication is left.
//   x [..., features]   threshold: one number [] or one per feature [features]
//   values of the result: [..., features] of x's type, zeros and ones
// The step has no useful derivative; gradients flow as if its slope were a bell around the
// threshold,
//   dx = z · √(2/π)/w · exp(−2·((x−threshold)/w)²),   d threshold = −Σ dx,
// which integrates to 1 for every width w. w = 1 is the paper's surrogate (it prints
// z inside the exponential, which does not train).
// Float tensors on the CPU are computed by our kernels, and the result has an index.
SelectionCodes binarise(const torch::Tensor& x, const torch::Tensor& threshold,
                        double surrogate_width);

// The bell itself, for tests and for the backward pass.
torch::Tensor surrogate_slope(const torch::Tensor& x, const torch::Tensor& threshold,
                              double surrogate_width);

}  // namespace eatt
