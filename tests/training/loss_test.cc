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
                                   double smoothing) {
  auto leaf = values.clone().requires_grad_();
  const auto loss = smoothed_loss(leaf * 1.0, labels, smoothing);
  (loss.sum * 0.7).backward();
  return {loss.sum.detach(), loss.likelihood, leaf.grad()};
}

TEST(SmoothedLoss, KernelsAgreeWithLibtorch) {
  torch::manual_seed(6);
  const auto logits = torch::randn({50, 1003}) * 3;
  const auto labels = torch::randint(0, 1003, {50});
  for (const double smoothing : {0.0, 0.1}) {
    const auto found = results(logits, labels, smoothing);
    const WithoutFusedKernels generic;
    const auto expected = results(logits, labels, smoothing);
    EXPECT_TRUE(torch::allclose(found[0], expected[0], 1e-6));
    EXPECT_TRUE(torch::allclose(found[1], expected[1], 1e-6));
    EXPECT_TRUE(torch::allclose(found[2], expected[2], 1e-5, 1e-7));
  }
}

TEST(SmoothedLoss, KeptLogitsAreNotTouched) {
  const auto values = torch::randn({3, 50});
  auto logits = values.clone().requires_grad_();
  smoothed_loss(logits, torch::tensor({1, 2, 3}), 0.1).sum.backward();
  EXPECT_TRUE(logits.equal(values));
}

TEST(SmoothedLoss, ALabelOutsideTheVocabularyIsRefused) {
  EXPECT_THROW(smoothed_loss(torch::randn({1, 5}), torch::tensor({5}), 0.1), InternalError);
}

struct OutputCase {
  torch::Tensor hidden, weight, labels;
  Teacher teacher;

  // Words for several blocks, and a teacher of another width.
  explicit OutputCase(int64_t words, double temperature)
      : hidden(torch::randn({words, 24})),
        weight(torch::randn({103, 24})),
        labels(torch::randint(0, 103, {words})),
        teacher{torch::randn({words, 40}), torch::randn({103, 40}), 0.3, temperature} {}

  // Loss, likelihood, and the gradients of 0.7 times the loss.
  std::vector<torch::Tensor> results(double smoothing, bool taught) const {
    const auto states = hidden.clone().requires_grad_(), matrix = weight.clone().requires_grad_();
    const auto loss = output_loss(
        states, matrix,
        {.labels = labels, .smoothing = smoothing, .teacher = taught ? &teacher : nullptr});
    (loss.sum * 0.7).backward();
    return {loss.sum.detach(), loss.likelihood, states.grad(), matrix.grad()};
  }
};

TEST(OutputLoss, KernelsAgreeWithLibtorch) {
  torch::manual_seed(6);
  for (const int64_t words : {1, 7, 600}) {
    for (const double temperature : {1.0, 2.0}) {
      const OutputCase output(words, temperature);
      for (const double smoothing : {0.0, 0.1}) {
        for (const bool taught : {false, true}) {
          const auto found = output.results(smoothing, taught);
          const WithoutFusedKernels generic;
          const auto expected = output.results(smoothing, taught);
          for (size_t i = 0; i < found.size(); ++i) {
            const double size = std::max(1.0, expected[i].abs().max().item<double>());
            EXPECT_LT((found[i] - expected[i]).abs().max().item<double>(), 2e-5 * size)
                << "result " << i << ", " << words << " words, temperature " << temperature;
          }
        }
      }
    }
  }
}

TEST(OutputLoss, ItsGradientCannotBeAskedForTwice) {
  const auto hidden = torch::randn({3, 8}).requires_grad_();
  const auto labels = torch::tensor({1, 2, 3});
  const auto loss =
      output_loss(hidden, torch::randn({5, 8}), {.labels = labels, .smoothing = 0.1}).sum;
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_THROW(loss.backward(), InternalError);
}

TEST(OutputLoss, ALabelOutsideTheVocabularyIsRefused) {
  EXPECT_THROW(output_loss(torch::randn({1, 8}), torch::randn({5, 8}),
                           {.labels = torch::tensor({5}), .smoothing = 0.1}),
               InternalError);
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
