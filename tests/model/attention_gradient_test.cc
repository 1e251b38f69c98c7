#include <gtest/gtest.h>

#include <functional>

#include "model/attention_scores.h"
#include "model/layers.h"
#include "model/selection.h"
#include "small_models.h"

namespace eatt {
namespace {

using namespace testing;

// Central differences of a scalar function by every element of `variable`.
torch::Tensor numeric_gradient(torch::Tensor variable, const std::function<double()>& value) {
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  auto gradient = torch::zeros_like(variable);
  auto elements = variable.flatten();  // Shares memory with a contiguous variable.
  auto slopes = gradient.flatten();
  for (int64_t i = 0; i < elements.numel(); ++i) {
    const double before = elements[i].item<double>();
    elements[i] = before + kStep;
    const double above = value();
    elements[i] = before - kStep;
    const double below = value();
    elements[i] = before;
    slopes[i] = (above - below) / (2 * kStep);
  }
  return gradient;
}

class EachMechanismsGradient : public ::testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override { torch::manual_seed(11); }
};
INSTANTIATE_TEST_SUITE_P(Attention, EachMechanismsGradient, kAllMechanisms, name_of_case);

// Inputs are checked only where nothing is binarised: the step's own numeric gradient is 0, and the
// next test checks the surrogate instead.
TEST_P(EachMechanismsGradient, AgreesWithTheNumericOneForAllInputsAndWeights) {
  for (const bool causal : {false, true}) {
    AttentionLayer layer(small_architecture(GetParam()),
                         causal ? Role::decoder_self : Role::encoder_self, 0, AttentionTraining{});
    layer->to(torch::kDouble);
    shake(*layer);
    auto x = away_from(1.0, {2, 4, 12}).requires_grad_();
    const auto target = torch::randn({2, 4, 12}, torch::kDouble);
    const auto mask = AttentionMask::from_lengths(torch::tensor({4, 2}), 4, causal, 4);
    const auto loss = [&] { return (layer->forward({x, x, {}}, mask) * target).sum(); };
    loss().backward();
    const auto value = [&] { return loss().item<double>(); };
    for (const auto& [name, parameter] : parameters_of(*layer)) {
      const auto numeric = numeric_gradient(parameter, value);
      EXPECT_TRUE(torch::allclose(parameter.grad(), numeric, 1e-5, 1e-7)) << name;
    }
    if (!binarises(GetParam())) {
      EXPECT_TRUE(torch::allclose(x.grad(), numeric_gradient(x.detach(), value), 1e-5, 1e-7));
    }
  }
}

// Two different sides, a learned factor of the scores, and a sentence whose every key is hidden.
TEST_P(EachMechanismsGradient, AgreesInCrossAttentionForBothSides) {
  Architecture architecture = small_architecture(GetParam());
  architecture.cross.scale = {ScaleKind::learned, 1.7};
  AttentionLayer layer(architecture, Role::cross, 0, AttentionTraining{});
  layer->to(torch::kDouble);
  shake(*layer);
  auto x = away_from(1.0, {3, 4, 12}).requires_grad_();
  auto y = away_from(1.0, {3, 5, 12}).requires_grad_();
  const auto target = torch::randn({3, 4, 12}, torch::kDouble);
  const auto mask = AttentionMask::from_lengths(torch::tensor({5, 2, 0}), 5, false, 4);
  const auto loss = [&] { return (layer->forward({x, y, {}}, mask) * target).sum(); };
  loss().backward();
  const auto value = [&] { return loss().item<double>(); };
  for (const auto& [name, parameter] : parameters_of(*layer)) {
    const auto numeric = numeric_gradient(parameter, value);
    EXPECT_TRUE(torch::allclose(parameter.grad(), numeric, 1e-5, 1e-7)) << name;
  }
  if (binarises(GetParam())) return;
  EXPECT_TRUE(torch::allclose(y.grad(), numeric_gradient(y.detach(), value), 1e-5, 1e-7));
  if (GetParam() == Mechanism::randinit) return;  // Never looks at its queries.
  EXPECT_TRUE(torch::allclose(x.grad(), numeric_gradient(x.detach(), value), 1e-5, 1e-7));
}

// f with the surrogate's slope, put together from plain operators: the value of the step, the
// gradient of ½·erf(√2·(x−τ)/w), whose derivative is the bell.
torch::Tensor step_with_erf_slope(const torch::Tensor& x, double threshold, double width) {
  const auto smooth = torch::erf((x - threshold) * (std::sqrt(2.0) / width)) * 0.5;
  return x.gt(threshold).to(x.scalar_type()) + smooth - smooth.detach();
}

TEST(AttentionGradient, TheSurrogateReachesTheInputAsItsFormulaSays) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    const double width = 0.8;
    const auto architecture = small_architecture(mechanism);
    AttentionTraining training;
    training.codes.surrogate_width = width;
    AttentionLayer layer(architecture, Role::cross, 0, training);
    layer->to(torch::kDouble);
    shake(*layer);
    auto w = parameters_of(*layer);
    auto x = away_from(1.0, {1, 4, 12}).requires_grad_();
    const auto y = away_from(1.0, {1, 5, 12});
    const auto target = torch::randn({1, 4, 12}, torch::kDouble);
    const auto mask = AttentionMask::from_lengths(torch::tensor({5}), 5, false, 4);
    (layer->forward({x, y, {}}, mask) * target).sum().backward();

    auto twin = x.detach().clone().requires_grad_();
    const auto heads = [&](const torch::Tensor& t) {
      return t.unflatten(-1, {3, -1}).transpose(1, 2);
    };
    const auto q = heads(
        torch::linear(step_with_erf_slope(twin, 1.0, width), w["q_proj.weight"], w["q_proj.bias"]));
    const auto k =
        heads(torch::linear(y.gt(1.0).to(torch::kDouble), w["k_proj.weight"], w["k_proj.bias"]));
    const auto raw = mechanism == Mechanism::eatt ? -(q.unsqueeze(3) - k.unsqueeze(2)).abs().sum(-1)
                                                  : torch::matmul(q, k.transpose(-2, -1));
    const auto weights = torch::softmax(raw / std::sqrt(2.0), -1);  // qk_head_dim is 2.
    const auto v = heads(torch::linear(y, w["v_proj.weight"], w["v_proj.bias"]));
    const auto output = torch::linear(torch::matmul(weights, v).transpose(1, 2).flatten(2),
                                      w["out_proj.weight"], w["out_proj.bias"]);
    (output * target).sum().backward();
    EXPECT_TRUE(torch::allclose(x.grad(), twin.grad(), 0, 1e-12)) << mechanism_name(mechanism);
    EXPECT_GT(x.grad().abs().sum().item<double>(), 0);
  }
}

TEST(AttentionGradient, EqualCoordinatesOfL1GetGradientZero) {
  auto query = torch::tensor({1.0, 2.0, 3.0}, torch::kDouble).view({1, 1, 1, 3}).requires_grad_();
  auto key = torch::tensor({1.0, 5.0, 0.0, 1.0, 2.0, 3.0}, torch::kDouble)
                 .view({1, 1, 2, 3})
                 .requires_grad_();
  const auto scores = l1_scores(query, key);
  EXPECT_TRUE(scores.flatten().equal(torch::tensor({-6.0, 0.0}, torch::kDouble)));
  scores.sum().backward();
  EXPECT_TRUE(query.grad().flatten().equal(torch::tensor({0.0, 1.0, -1.0}, torch::kDouble)));
  EXPECT_TRUE(
      key.grad().flatten().equal(torch::tensor({0.0, -1.0, 1.0, 0.0, 0.0, 0.0}, torch::kDouble)));
}

}  // namespace
}  // namespace eatt
