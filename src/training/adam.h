#pragma once

#include <torch/torch.h>

#include "training/parameter_buffer.h"

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

  // One update from parameters.gradients(), which are left as they are.
  void step(double learning_rate);

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

// Scales the row down to `max_norm` if its Euclidean norm is above; 0 never scales. Returns the
// norm before, which is not finite if the row is not.
double clip_norm(torch::Tensor& row, double max_norm);

}  // namespace eatt
