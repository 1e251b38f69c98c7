#include "training/adam.h"

#include <cmath>

#include "training/row_math.h"

namespace eatt {

Adam::Adam(ParameterBuffer& parameters, const AdamOptions& options)
    : parameters_(parameters),
      options_(options),
      first_moment_(torch::zeros_like(parameters.values())),
      second_moment_(torch::zeros_like(parameters.values())) {}

void Adam::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const auto& gradient = parameters_.gradients();
  // The bias corrections 1/(1−βᵗ), drawn into the step size and the denominator.
  const double correction1 = 1.0 - std::pow(options_.beta1, t);
  const double correction2 = std::sqrt(1.0 - std::pow(options_.beta2, t));
  if (is_plain_row(gradient)) {
    adam_row({options_.beta1, options_.beta2, options_.epsilon, learning_rate / correction1,
              correction2},
             gradient, first_moment_, second_moment_, parameters_.values());
    return;
  }
  first_moment_.lerp_(gradient, 1.0 - options_.beta1);
  second_moment_.mul_(options_.beta2).addcmul_(gradient, gradient, 1.0 - options_.beta2);
  const auto denominator = second_moment_.sqrt().div_(correction2).add_(options_.epsilon);
  parameters_.values().addcdiv_(first_moment_, denominator, -learning_rate / correction1);
}

double clip_norm(torch::Tensor& row, double max_norm) {
  const torch::NoGradGuard no_grad;
  const double norm =
      is_plain_row(row) ? std::sqrt(squared_norm(row)) : row.norm(2, torch::kDouble).item<double>();
  if (max_norm > 0 && std::isfinite(norm) && norm > max_norm) row.mul_(max_norm / norm);
  return norm;
}

}  // namespace eatt
