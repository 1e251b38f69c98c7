#pragma once

#include <cstddef>

#include "kernels/selection/selection_codes.h"

// Gradients of the selection projection with respect to its weights: sums of those rows of d_result
// where a code is one. No product is needed here either.
namespace eatt::kernels {

enum class Destination { overwrite, add };

// Floats of scratch memory for weights [out, in], best aligned to 64 bytes.
size_t selection_weight_gradient_scratch(size_t in);

// d_weight [out, in] = or += d_resultᵀ · codes.
//   transposed         lists of the transposed codes [in, rows]
//   d_result           [rows, out], d_stride floats from row to row
void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, Destination destination, float* d_weight,
                               float* scratch);

// sums [columns] = or += the sum of the rows of matrix [rows, columns]: the gradient of a bias.
void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns,
                 Destination destination, float* sums);

}  // namespace eatt::kernels
