#pragma once

#include <cstddef>

namespace eatt::kernels {

// The steps of an optimizer over long rows of parameters, each in one pass over memory.

// Σ x², summed in double.
double squared_norm(const float* x, size_t size) noexcept;

// to += from; returns Σ to² of the result, summed in double.
double add_row(const float* from, size_t size, float* to) noexcept;

struct AdamNumbers {
  float gradient_scale;  // Gradients are multiplied by it first; below 1 when they are clipped.
  float keep1, new1;     // β₁ and 1 − β₁, the weights of the old first moment and of g.
  float keep2, new2;     // β₂ and 1 − β₂, for the second moment.
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
