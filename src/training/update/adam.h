#pragma once

#include <torch/torch.h>

#include "training/update/parameter_buffer.h"

namespace eatt {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
};

// Adam over a ParameterBuffer. Its whole state is two rows and a count, so a checkpoint holds it
// exactly.
class Adam {
 public:
  Adam(ParameterBuffer& parameters, const AdamOptions& options);

  // One update from gradient_scale · parameters.gradients(), which are left as they are.
  void step(double learning_rate, double gradient_scale = 1);

  torch::Tensor& first_moment() { return first_moment_; }
  torch::Tensor& second_moment() { return second_moment_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  ParameterBuffer& parameters_;
  AdamOptions options_;
  torch::Tensor first_moment_, second_moment_;
  int64_t steps_ = 0;
};

// The row's Euclidean norm, summed in double; not finite if the row is not.
double norm_of(const torch::Tensor& row);

// What a gradient of this norm is multiplied with so that it is at most `max_norm`; 0 never scales.
double clip_scale(double norm, double max_norm);

}  // namespace eatt
