#pragma once

#include <cstddef>

#include "kernels/selection/selection_codes.h"

// The selection projection in floats: instead of multiplying binary codes by a matrix, it adds up
// the rows of the matrix where a code is one.
//   result [rows, out] = bias [out] + codes [rows, in] · weightᵀ, weight [out, in] as PyTorch's
// Linear has it; a null bias means none. The weights are packed beforehand, in one of two layouts:
//   - panels, for many rows: [⌈out/64⌉ panels][in][64], the last padded with zeros; without
//     alignment to 64 bytes it takes twice as long;
//   - rows, for few rows (decoding): [in, out], so that memory is read in long runs.
namespace eatt::kernels {

// Up to this many rows, the layout of rows is faster.
inline constexpr size_t kFewSelectionRows = 4;

// Whether adding selected rows is faster than a good dense product of codes_to_floats(), for this
// share of ones.
bool selection_is_sparse_enough(double density, size_t rows) noexcept;

size_t selection_panels_size(size_t in, size_t out) noexcept;  // Floats.

// weight [out, in] → panels, of selection_panels_size().
void pack_selection_panels(const float* weight, size_t in, size_t out, float* panels) noexcept;

// weight [out, in] → weight_rows [in, out].
void pack_selection_rows(const float* weight, size_t in, size_t out, float* weight_rows) noexcept;

// codes are the lists of [rows, in]; the result has result_stride floats from one row to the next.
// The bias is read by Joining::start only.
void select_from_panels(const CodeLists& codes, const float* panels, size_t out, const float* bias,
                        float* result, size_t result_stride,
                        Joining joining = Joining::start) noexcept;

void select_from_rows(const CodeLists& codes, const float* weight_rows, size_t out,
                      const float* bias, float* result, size_t result_stride,
                      Joining joining = Joining::start) noexcept;

// Floats of scratch memory for weights [out, in], best aligned to 64 bytes.
size_t selection_weight_gradient_scratch(size_t in) noexcept;

// d_weight [out, in] = d_resultᵀ · codes.
//   transposed         lists of the transposed codes [in, rows]
//   d_result           [rows, out], d_stride floats from one row to the next
void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, float* d_weight, float* scratch) noexcept;

// sums [columns] = the sum of the rows of matrix [rows, columns]: the gradient of a bias.
void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns,
                 float* sums) noexcept;

}  // namespace eatt::kernels
