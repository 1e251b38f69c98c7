#pragma once

#include <cstddef>

namespace eatt::kernels {

// What an optimiser does to long rows of parameters, each in one pass over memory.

// Σ x², summed in double.
double squared_norm(const float* x, size_t size) noexcept;

// to += from; returns Σ to² of the result, summed in double.
double add_row(const float* from, size_t size, float* to) noexcept;

struct AdamNumbers {
  float gradient_scale;  // Gradients are multiplied with it first: below 1 where they are clipped.
  float keep1, new1;  // β₁ and 1 − β₁: how much of the first moment stays, and of g comes.
  float keep2, new2;  // The same for the second.
  float epsilon;
  float step_size;     // Learning rate over the first bias correction.
  float inverse_root;  // 1 / √ of the second bias correction.
};

struct AdamRows {
  float* first_moment;
  float* second_moment;
  float* values;
};

// One update of moments and values.
void adam_update(const AdamNumbers& numbers, const float* gradients, size_t size,
                 const AdamRows& rows) noexcept;

}  // namespace eatt::kernels
