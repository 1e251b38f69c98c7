#include "model/selection.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <numbers>

namespace eatt {
namespace {

const auto kDouble = torch::TensorOptions(torch::kDouble);

TEST(BinarySelection, IsOneStrictlyAboveTheThreshold) {
  const auto codes = binarise(torch::tensor({0.5, 1.0, 1.5, -2.0}), torch::tensor(1.0), {}).values;
  EXPECT_TRUE(codes.equal(torch::tensor({0.0, 0.0, 1.0, 0.0})));
}

TEST(BinarySelection, KeepsTheTypeOfItsInput) {
  EXPECT_EQ(binarise(torch::zeros({2}), torch::tensor(1.0), {}).values.scalar_type(),
            torch::kFloat);
  EXPECT_EQ(binarise(torch::zeros({2}, kDouble), torch::tensor(1.0), {}).values.scalar_type(),
            torch::kDouble);
}

TEST(BinarySelection, GradientIsTheIncomingOneTimesTheBell) {
  for (const double width : {0.5, 1.0, 2.0}) {
    auto x = torch::tensor({-1.0, 0.3, 0.9, 1.0, 1.4, 3.0}, kDouble).requires_grad_();
    const auto z = torch::tensor({2.0, -1.0, 0.5, 3.0, 0.0, 1.0}, kDouble);
    (binarise(x, torch::tensor(1.0), {width}).values * z).sum().backward();
    for (int i = 0; i < 6; ++i) {
      const double u = (x[i].item<double>() - 1.0) / width;
      const double expected =
          z[i].item<double>() * std::sqrt(2 / std::numbers::pi) / width * std::exp(-2 * u * u);
      EXPECT_NEAR(x.grad()[i].item<double>(), expected, 1e-15) << "element " << i;
    }
  }
}

TEST(BinarySelection, TheBellHasAreaOneForEveryWidth) {
  for (const double width : {0.3, 1.0, 2.5}) {
    const auto x = torch::linspace(-20, 20, 400'001, kDouble);
    const double area = surrogate_slope(x, torch::tensor(0.7), width).sum().item<double>() * 1e-4;
    EXPECT_NEAR(area, 1.0, 1e-9);
  }
}

TEST(BinarySelection, ALearnedThresholdGetsMinusTheSumOfItsFeaturesGradients) {
  auto x = torch::randn({3, 4, 5}, kDouble).requires_grad_();
  auto threshold = torch::rand({5}, kDouble).requires_grad_();
  const auto z = torch::randn({3, 4, 5}, kDouble);
  (binarise(x, threshold, {}).values * z).sum().backward();
  EXPECT_TRUE(torch::allclose(threshold.grad(), -x.grad().sum(torch::IntArrayRef{0, 1}), 0, 1e-12));
}

TEST(SignedCodes, AreInputsRoundedToSmallIntegers) {
  const auto x = torch::tensor({0.0, 0.25, -0.3, 0.7, 0.8, -1.7, 9.0}, kDouble);
  const auto codes = [&](size_t levels) {
    return signed_codes(x, torch::tensor(0.25, kDouble), {.levels = levels, .unit = 0.5}, {})
        .values;
  };
  EXPECT_TRUE(codes(1).equal(torch::tensor({0.0, 0.0, -0.5, 0.5, 0.5, -0.5, 0.5}, kDouble)));
  EXPECT_TRUE(codes(2).equal(torch::tensor({0.0, 0.0, -0.5, 0.5, 1.0, -1.0, 1.0}, kDouble)));
  EXPECT_TRUE(codes(6).equal(torch::tensor({0.0, 0.0, -0.5, 0.5, 1.0, -1.5, 3.0}, kDouble)));
}

// The codes and their gradients by our kernels, in floats, against libtorch's operators in doubles.
TEST(SignedCodes, OfTheKernelsAreThoseOfPlainOperators) {
  for (const size_t levels : {1, 2, 3, 6}) {
    const SignedCodeShape shape{.levels = levels, .unit = 0.6};
    const CodeTraining training{.surrogate_width = 0.9};
    for (const bool learned : {false, true}) {
      torch::manual_seed(3);
      auto x = torch::randn({3, 5, 37}).requires_grad_();
      auto threshold = learned ? torch::rand({37}) + 0.2 : torch::tensor(0.4f);
      threshold.requires_grad_(learned);
      auto wide_x = x.detach().to(torch::kDouble).requires_grad_();
      auto wide_threshold = threshold.detach().to(torch::kDouble).requires_grad_(learned);
      const auto z = torch::randn({3, 5, 37});
      const auto codes = signed_codes(x, threshold, shape, training).values;
      const auto expected = signed_codes(wide_x, wide_threshold, shape, training).values;
      EXPECT_TRUE(torch::allclose(codes.to(torch::kDouble), expected, 0, 1e-6));
      (codes * z).sum().backward();
      (expected * z).sum().backward();
      EXPECT_TRUE(torch::allclose(x.grad().to(torch::kDouble), wide_x.grad(), 0, 1e-5));
      if (!learned) continue;
      EXPECT_TRUE(
          torch::allclose(threshold.grad().to(torch::kDouble), wide_threshold.grad(), 0, 1e-4));
    }
  }
}

// Soft codes are smooth, so their gradient can be checked against differences.
TEST(SoftCodes, HaveTheirOwnDerivativeAsGradient) {
  const CodeTraining soft{.surrogate_width = 0.8, .hardness = std::make_shared<double>(0.0)};
  const auto threshold = torch::tensor(0.4, kDouble);
  const auto values = [&](const torch::Tensor& x, size_t levels) {
    return levels == 0 ? binarise(x, threshold, soft).values
                       : signed_codes(x, threshold, {.levels = levels, .unit = 0.7}, soft).values;
  };
  for (const size_t levels : {0, 1, 4}) {
    auto x = torch::linspace(-3, 3, 41, kDouble).requires_grad_();
    values(x, levels).sum().backward();
    const torch::NoGradGuard no_grad;
    const auto slope = (values(x + 1e-5, levels) - values(x - 1e-5, levels)) / 2e-5;
    EXPECT_TRUE(torch::allclose(x.grad(), slope, 0, 1e-8)) << levels << " levels";
  }
}

TEST(SoftCodes, TurnIntoTheCodesAsHardnessRises) {
  const auto hardness = std::make_shared<double>(0.0);
  const CodeTraining training{.hardness = hardness};
  const auto x = torch::randn({4, 32}), threshold = torch::tensor(0.5f);
  const auto hard = binarise(x, threshold, {}).values;
  const auto soft = binarise(x, threshold, training).values;
  *hardness = 0.75;
  const auto between = binarise(x, threshold, training);
  EXPECT_TRUE(torch::allclose(between.values, 0.75 * hard + 0.25 * soft, 0, 1e-6));
  EXPECT_EQ(between.index, nullptr) << "rows can be selected by ones and zeros only";
  *hardness = 1;
  EXPECT_TRUE(binarise(x, threshold, training).values.equal(hard));
}

TEST(CodeGradient, ScalesWhatFlowsToTheInputAndNotTheThresholdsShare) {
  const auto gradients = [](double factor, size_t levels) {
    torch::manual_seed(5);
    auto x = torch::randn({6, 8}).requires_grad_(), threshold = torch::full({8}, 0.4f);
    threshold.requires_grad_();
    const CodeTraining training{.gradient = factor};
    const auto codes = levels == 0 ? binarise(x, threshold, training)
                                   : signed_codes(x, threshold, {.levels = levels}, training);
    codes.values.sum().backward();
    return std::pair{x.grad(), threshold.grad()};
  };
  for (const size_t levels : {0, 3}) {
    const auto [whole, whole_threshold] = gradients(1, levels);
    const auto [part, part_threshold] = gradients(0.25, levels);
    EXPECT_TRUE(torch::allclose(part, whole * 0.25));
    EXPECT_TRUE(part_threshold.equal(whole_threshold));
  }
}

// A smooth stair whose slope is the surrogate: a step at each threshold as an error function.
TEST(SignedCodes, LetGradientsThroughToInputAndThresholdAsTheSmoothStairDoes) {
  const double width = 0.8, root = std::sqrt(2.0) / width;
  const auto x = torch::randn({6, 5}, kDouble), z = torch::randn({6, 5}, kDouble);
  auto ours = x.clone().requires_grad_(), theirs = x.clone().requires_grad_();
  auto threshold = (torch::rand({5}, kDouble) + 0.3).requires_grad_();
  auto smooth_threshold = threshold.detach().clone().requires_grad_();
  const SignedCodeShape shape{.levels = 4, .unit = 0.7};
  (signed_codes(ours, threshold, shape, {width}).values * z).sum().backward();
  auto stair = torch::zeros({6, 5}, kDouble);
  for (int factor = 1; factor < 8; factor += 2) {
    const auto limit = smooth_threshold * factor;
    stair = stair + (torch::erf((theirs - limit) * root) + torch::erf((theirs + limit) * root)) *
                        (0.5 * shape.unit);
  }
  (stair * z).sum().backward();
  EXPECT_TRUE(torch::allclose(ours.grad(), theirs.grad(), 0, 1e-12));
  EXPECT_TRUE(torch::allclose(threshold.grad(), smooth_threshold.grad(), 0, 1e-12));
}

}  // namespace
}  // namespace eatt
