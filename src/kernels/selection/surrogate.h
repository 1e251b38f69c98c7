#pragma once

#include <cstddef>

#include "kernels/selection/selection_codes.h"

namespace eatt::kernels {

// The gradient that passes through binary codes, as if the step had a bell-shaped slope:
//   d_x = d_code · √(2/π)/width · exp(−2·((x − threshold)/width)²),   all [rows, dim] without gaps.
// d_x may be d_code.
void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x);

}  // namespace eatt::kernels
