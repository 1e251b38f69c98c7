#pragma once

#include <torch/torch.h>

#include "training/update/smoothed_loss.h"

namespace eatt {

// The sums of smoothed_loss() by our kernels, for float logits on the CPU: {smoothed, plain}. Of
// the size of the logits only their gradient is made, or nothing at all where they are consumed.
torch::autograd::tensor_list fused_smoothed_loss(const torch::Tensor& logits,
                                                 const torch::Tensor& labels, double smoothing,
                                                 LogitsUse use);

}  // namespace eatt
