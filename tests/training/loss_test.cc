#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "model/building_blocks.h"
#include "training/update/learner.h"

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

// Loss, likelihood and the gradient of 0.7 times the loss.
std::vector<torch::Tensor> results(const torch::Tensor& values, const torch::Tensor& labels,
                                   double smoothing, LogitsUse use) {
  auto leaf = values.clone().requires_grad_();
  const auto loss = smoothed_loss(leaf * 1.0, labels, smoothing, use);
  (loss.sum * 0.7).backward();
  return {loss.sum.detach(), loss.likelihood, leaf.grad()};
}

TEST(SmoothedLoss, KernelsAgreeWithLibtorch) {
  torch::manual_seed(6);
  const auto logits = torch::randn({50, 1003}) * 3;
  const auto labels = torch::randint(0, 1003, {50});
  for (const double smoothing : {0.0, 0.1}) {
    for (const auto use : {LogitsUse::keep, LogitsUse::consume}) {
      const auto found = results(logits, labels, smoothing, use);
      const WithoutFusedKernels generic;
      const auto expected = results(logits, labels, smoothing, use);
      EXPECT_TRUE(torch::allclose(found[0], expected[0], 1e-6));
      EXPECT_TRUE(torch::allclose(found[1], expected[1], 1e-6));
      EXPECT_TRUE(torch::allclose(found[2], expected[2], 1e-5, 1e-7));
    }
  }
}

TEST(SmoothedLoss, KeptLogitsAreNotTouched) {
  const auto values = torch::randn({3, 50});
  auto logits = values.clone().requires_grad_();
  smoothed_loss(logits, torch::tensor({1, 2, 3}), 0.1).sum.backward();
  EXPECT_TRUE(logits.equal(values));
}

TEST(SmoothedLoss, ConsumedLogitsCannotBeAskedForTwice) {
  auto leaf = torch::randn({3, 50}).requires_grad_();
  const auto loss =
      smoothed_loss(leaf * 1.0, torch::tensor({1, 2, 3}), 0.1, LogitsUse::consume).sum;
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_THROW(loss.backward(), InternalError);
}

TEST(SmoothedLoss, ALabelOutsideTheVocabularyIsRefused) {
  EXPECT_THROW(smoothed_loss(torch::randn({1, 5}), torch::tensor({5}), 0.1), InternalError);
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
