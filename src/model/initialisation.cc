#include "model/initialisation.h"

#include <cmath>

namespace eatt {

torch::Tensor xavier_uniform(torch::IntArrayRef shape) {
  const auto fans = static_cast<double>(shape[shape.size() - 1] + shape[shape.size() - 2]);
  const double bound = std::sqrt(6.0 / fans);
  return torch::empty(shape).uniform_(-bound, bound);
}

torch::nn::Linear linear(int64_t in, int64_t out, bool bias) {
  torch::nn::Linear layer(torch::nn::LinearOptions(in, out).bias(bias));
  const torch::NoGradGuard no_grad;
  layer->weight.copy_(xavier_uniform({out, in}));
  if (bias) layer->bias.zero_();
  return layer;
}

torch::Tensor embedding_weights(int64_t vocab, int64_t model_dim) {
  return torch::randn({vocab, model_dim}) * std::pow(static_cast<double>(model_dim), -0.5);
}

torch::Tensor sinusoidal_positions(int64_t length, int64_t model_dim) {
  const int64_t half = model_dim / 2;
  const auto doubles = torch::TensorOptions(torch::kDouble);
  const double step = std::log(10000.0) / static_cast<double>(std::max<int64_t>(half - 1, 1));
  const auto frequencies = torch::exp(torch::arange(half, doubles) * -step);
  const auto angles = torch::arange(length, doubles).unsqueeze(1) * frequencies;
  return torch::cat({angles.sin(), angles.cos()}, 1).to(torch::kFloat);
}

}  // namespace eatt
