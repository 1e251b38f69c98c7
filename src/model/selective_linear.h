#pragma once

#include <torch/torch.h>

#include "model/selection_codes.h"

namespace eatt {

// codes [..., in] · weightᵀ + bias, weight [out, in]: where the codes have an index and are sparse
// enough, the selected rows of weightᵀ are added up, forward and for the weight's gradient;
// otherwise it is a dense product.
torch::Tensor selective_linear(const SelectionCodes& codes, const torch::Tensor& weight,
                               const torch::Tensor& bias);

}  // namespace eatt
