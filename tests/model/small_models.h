#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "model/transformer.h"

namespace eatt {

// For the names of tests.
inline void PrintTo(Mechanism mechanism, std::ostream* out) { *out << mechanism_name(mechanism); }

}  // namespace eatt

namespace eatt::testing {

// A model small enough for loops and numeric gradients, with one mechanism in all roles.
inline Architecture small_architecture(Mechanism mechanism, size_t layers = 1) {
  Architecture a;
  a.model_dim = 12;
  a.heads = 3;
  a.ffn_dim = 10;
  a.attention_dim = 9;  // Neither equal to model_dim nor to qk_dim: a mix-up would not fit.
  a.qk_dim = 6;
  a.max_length = 11;
  a.source_vocab = 17;
  a.target_vocab = 13;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers.assign(layers, mechanism);
  }
  return a;
}

// Random numbers that keep a distance from the threshold, so that rounding cannot flip a code.
inline torch::Tensor away_from(double threshold, torch::IntArrayRef shape) {
  const auto x = torch::randn(shape, torch::kDouble) * 1.5;
  const auto offset = x - threshold;
  return torch::where(offset.abs() < 0.05, x + 0.1, x);
}

inline std::map<std::string, torch::Tensor> parameters_of(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& item : module.named_parameters()) parameters[item.key()] = item.value();
  return parameters;
}

// Every parameter away from its initial value, so that zero biases and unit gains cannot hide bugs.
inline void shake(torch::nn::Module& module, double size = 0.3) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : module.parameters()) parameter.add_(torch::randn_like(parameter) * size);
}

inline std::string name_of_case(const ::testing::TestParamInfo<Mechanism>& info) {
  return std::string(mechanism_name(info.param));
}

inline std::vector<Mechanism> all_mechanisms() {
  std::vector<Mechanism> mechanisms;
  for (const std::string_view name : kMechanismNames) mechanisms.push_back(*mechanism_named(name));
  return mechanisms;
}
inline const auto kAllMechanisms = ::testing::ValuesIn(all_mechanisms());

}  // namespace eatt::testing
