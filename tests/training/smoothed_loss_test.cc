#include "training/smoothed_loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace eatt {
namespace {

TEST(SmoothedLoss, EqualsTheDefinitionWordByWord) {
  const auto logits = torch::randn({4, 6}, torch::kDouble);
  const auto labels = torch::tensor({0, 5, 2, 2});
  const double epsilon = 0.1;
  double expected = 0;
  for (int64_t i = 0; i < 4; ++i) {
    double total = 0;
    for (int64_t j = 0; j < 6; ++j) total += std::exp(logits[i][j].item<double>());
    for (int64_t j = 0; j < 6; ++j) {
      const double wanted = (labels[i].item<int64_t>() == j ? 1 - epsilon : 0) + epsilon / 6;
      expected -= wanted * (logits[i][j].item<double>() - std::log(total));
    }
  }
  EXPECT_NEAR(smoothed_loss(logits, labels, epsilon).sum.item<double>(), expected, 1e-12);
}

TEST(SmoothedLoss, ItsGradientIsTheNumericOne) {
  auto logits = torch::randn({4, 6}, torch::kDouble).requires_grad_();
  const auto labels = torch::tensor({0, 5, 2, 2});
  const auto value = [&](const torch::Tensor& x) {
    return (smoothed_loss(x, labels, 0.1).sum * 0.7).item<double>();
  };
  (smoothed_loss(logits, labels, 0.1).sum * 0.7).backward();
  const torch::NoGradGuard no_grad;
  for (int64_t i = 0; i < logits.numel(); ++i) {
    auto up = logits.detach().clone();
    auto down = up.clone();
    up.view(-1)[i] += 1e-5;
    down.view(-1)[i] -= 1e-5;
    const double numeric = (value(up) - value(down)) / 2e-5;
    EXPECT_NEAR(logits.grad().view(-1)[i].item<double>(), numeric, 1e-9);
  }
}

TEST(SmoothedLoss, WithoutSmoothingItIsTheLikelihood) {
  const auto logits = torch::randn({3, 5});
  const auto loss = smoothed_loss(logits, torch::tensor({1, 2, 3}), 0.0);
  EXPECT_FLOAT_EQ(loss.sum.item<float>(), loss.likelihood.item<float>());
  EXPECT_EQ(loss.words, 3);
}

TEST(DistillationLoss, IsLeastWhereTheStudentEqualsTheTeacher) {
  const auto teacher = torch::randn({3, 5}, torch::kDouble);
  auto student = teacher.clone().requires_grad_();
  const auto at_teacher = distillation_loss(student, teacher, 2.0);
  at_teacher.backward();
  EXPECT_LT(student.grad().abs().max().item<double>(), 1e-12);
  const auto elsewhere = distillation_loss(teacher + torch::randn({3, 5}), teacher, 2.0);
  EXPECT_GT(elsewhere.item<double>(), at_teacher.item<double>());
}

}  // namespace
}  // namespace eatt
