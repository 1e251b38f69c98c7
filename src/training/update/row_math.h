#pragma once

#include <torch/torch.h>

namespace eatt {

// Passes over whole rows of parameters, on all threads: libtorch's own operators would go over
// memory once for each step of a formula. Rows are float and on the CPU; results do not depend on
// the number of threads.

// Whether a row can be given to the functions below.
bool is_plain_row(const torch::Tensor& row);

// Σ x², summed in double.
double squared_norm(const torch::Tensor& row);

// to += from; returns Σ to² of the result.
double add_row(torch::Tensor& to, const torch::Tensor& from);

struct AdamStep {
  double gradient_scale;  // Gradients are multiplied with it first.
  double beta1, beta2, epsilon;
  double step_size;        // Learning rate over the first bias correction.
  double root_correction;  // √ of the second bias correction.
};

// One update of values and both moments.
void adam_row(const AdamStep& step, const torch::Tensor& gradients, torch::Tensor& first_moment,
              torch::Tensor& second_moment, torch::Tensor& values);

}  // namespace eatt
