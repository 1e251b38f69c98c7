#include "model/selection.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <numbers>

namespace eatt {
namespace {

const auto kDouble = torch::TensorOptions(torch::kDouble);

TEST(BinarySelection, IsOneStrictlyAboveTheThreshold) {
  const auto codes = binarise(torch::tensor({0.5, 1.0, 1.5, -2.0}), torch::tensor(1.0), 1.0).values;
  EXPECT_TRUE(codes.equal(torch::tensor({0.0, 0.0, 1.0, 0.0})));
}

TEST(BinarySelection, KeepsTheTypeOfItsInput) {
  EXPECT_EQ(binarise(torch::zeros({2}), torch::tensor(1.0), 1.0).values.scalar_type(),
            torch::kFloat);
  EXPECT_EQ(binarise(torch::zeros({2}, kDouble), torch::tensor(1.0), 1.0).values.scalar_type(),
            torch::kDouble);
}

TEST(BinarySelection, GradientIsTheIncomingOneTimesTheBell) {
  for (const double width : {0.5, 1.0, 2.0}) {
    auto x = torch::tensor({-1.0, 0.3, 0.9, 1.0, 1.4, 3.0}, kDouble).requires_grad_();
    const auto z = torch::tensor({2.0, -1.0, 0.5, 3.0, 0.0, 1.0}, kDouble);
    (binarise(x, torch::tensor(1.0), width).values * z).sum().backward();
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
  (binarise(x, threshold, 1.0).values * z).sum().backward();
  EXPECT_TRUE(torch::allclose(threshold.grad(), -x.grad().sum(torch::IntArrayRef{0, 1}), 0, 1e-12));
}

}  // namespace
}  // namespace eatt
