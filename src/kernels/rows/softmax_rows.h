#pragma once

#include <cstddef>

namespace eatt::kernels {

// log Σ exp(x) of each row of x [rows, width]; −∞ for a row without a number above −∞, NaN if it
// holds one.
void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out);

// softmax of each row; out may be x. A row of −∞ alone, which attends to nothing, becomes zeros.
void softmax_rows(const float* x, size_t rows, size_t width, float* out);

}  // namespace eatt::kernels
