#include "training/update/adam.h"

#include <cmath>

#include "training/update/row_math.h"

namespace eatt {

Adam::Adam(ParameterBuffer& parameters, const AdamOptions& options)
    : parameters_(parameters),
      options_(options),
      first_moment_(torch::zeros_like(parameters.values())),
      second_moment_(torch::zeros_like(parameters.values())) {}

void Adam::step(double learning_rate, double gradient_scale) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  // The bias corrections 1/(1−βᵗ), drawn into the step size and the denominator.
  const double correction1 = 1.0 - std::pow(options_.beta1, t);
  const double correction2 = std::sqrt(1.0 - std::pow(options_.beta2, t));
  if (is_plain_row(parameters_.gradients())) {
    adam_row({.gradient_scale = gradient_scale,
              .beta1 = options_.beta1,
              .beta2 = options_.beta2,
              .epsilon = options_.epsilon,
              .step_size = learning_rate / correction1,
              .root_correction = correction2},
             parameters_.gradients(), first_moment_, second_moment_, parameters_.values());
    return;
  }
  const auto gradient = parameters_.gradients() * gradient_scale;
  first_moment_.lerp_(gradient, 1.0 - options_.beta1);
  second_moment_.mul_(options_.beta2).addcmul_(gradient, gradient, 1.0 - options_.beta2);
  const auto denominator = second_moment_.sqrt().div_(correction2).add_(options_.epsilon);
  parameters_.values().addcdiv_(first_moment_, denominator, -learning_rate / correction1);
}

double norm_of(const torch::Tensor& row) {
  return is_plain_row(row) ? std::sqrt(squared_norm(row))
                           : row.norm(2, torch::kDouble).item<double>();
}

double clip_scale(double norm, double max_norm) {
  return max_norm > 0 && norm > max_norm ? max_norm / norm : 1.0;
}

}  // namespace eatt
