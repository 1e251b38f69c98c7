#include "training/update/optimizer.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "base/threads.h"

namespace eatt {
namespace {

// Two layers and a loss that touches both.
struct SmallModel : torch::nn::Module {
  SmallModel() {
    first = register_module("first", torch::nn::Linear(3, 4));
    second = register_module("second", torch::nn::Linear(4, 2));
  }
  torch::Tensor loss(const torch::Tensor& x) {
    return second->forward(torch::relu(first->forward(x))).square().sum();
  }
  torch::nn::Linear first{nullptr}, second{nullptr};
};

TEST(ParameterBuffer, TheModelsTensorsAreViewsOfOneRow) {
  torch::manual_seed(1);
  SmallModel model;
  const auto before = model.first->weight.detach().clone();
  ParameterBuffer buffer(model);
  EXPECT_EQ(buffer.values().numel(), 3 * 4 + 4 + 4 * 2 + 2);
  EXPECT_TRUE(model.first->weight.equal(before));
  buffer.values().fill_(7);
  EXPECT_TRUE(model.second->bias.equal(torch::full({2}, 7.0)));
  EXPECT_EQ(buffer.names().at(0), "first.weight");
}

TEST(ParameterBuffer, BackwardAddsToOneRowOfGradients) {
  torch::manual_seed(1);
  SmallModel model;
  ParameterBuffer buffer(model);
  const auto x = torch::randn({5, 3});
  model.loss(x).backward();
  const auto once = buffer.gradients().clone();
  EXPECT_GT(once.abs().sum().item<float>(), 0);
  model.loss(x).backward();
  EXPECT_TRUE(torch::allclose(buffer.gradients(), once * 2));
  EXPECT_TRUE(model.second->bias.grad().equal(buffer.part(buffer.gradients(), 3)));
}

TEST(ParameterBuffer, NamesTheFirstTensorThatIsNotFinite) {
  SmallModel model;
  ParameterBuffer buffer(model);
  EXPECT_EQ(buffer.first_not_finite(buffer.values()), "");
  buffer.values()[14] = std::numeric_limits<float>::quiet_NaN();  // Elements 12…15: first.bias.
  EXPECT_EQ(buffer.first_not_finite(buffer.values()), "first.bias");
}

// Two learning rates are what two optimizers would do.
TEST(Adam, NamedParametersLearnAtTheirOwnRate) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {  // By our kernel, by libtorch.
    torch::manual_seed(3);
    SmallModel mixed, plain, slow;
    for (SmallModel* model : {&mixed, &plain, &slow}) {
      const torch::NoGradGuard no_grad;
      for (size_t i = 0; i < 4; ++i) model->parameters()[i].copy_(mixed.parameters()[i]);
      model->to(type);
    }
    ParameterBuffer mixed_rows(mixed), plain_rows(plain), slow_rows(slow);
    Adam mixed_adam(mixed_rows, {}), plain_adam(plain_rows, {}), slow_adam(slow_rows, {});
    mixed_adam.set_rate_factor({"first.bias", "second.weight"}, 0.25);
    for (int i = 0; i < 5; ++i) {
      const auto gradients = torch::randn_like(mixed_rows.gradients());
      for (ParameterBuffer* rows : {&mixed_rows, &plain_rows, &slow_rows}) {
        rows->gradients().copy_(gradients);
      }
      mixed_adam.step(0.01);
      plain_adam.step(0.01);
      slow_adam.step(0.01 * 0.25);
    }
    EXPECT_TRUE(mixed.first->weight.equal(plain.first->weight));
    EXPECT_TRUE(mixed.first->bias.equal(slow.first->bias));
    EXPECT_TRUE(mixed.second->weight.equal(slow.second->weight));
    EXPECT_TRUE(mixed.second->bias.equal(plain.second->bias));
    EXPECT_FALSE(slow.first->bias.equal(plain.first->bias));
  }
}

TEST(Adam, TakesTheStepsOfLibtorchsOwn) {
  torch::manual_seed(3);
  SmallModel ours;
  SmallModel theirs;
  {
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < 4; ++i) theirs.parameters()[i].copy_(ours.parameters()[i]);
  }
  ParameterBuffer buffer(ours);
  Adam adam(buffer, {});
  torch::optim::Adam reference(theirs.parameters(),
                               torch::optim::AdamOptions(0.01).betas({0.9, 0.98}).eps(1e-9));
  for (int i = 0; i < 20; ++i) {
    const auto x = torch::randn({5, 3});
    buffer.gradients().zero_();
    ours.loss(x).backward();
    adam.step(0.01);
    reference.zero_grad();
    theirs.loss(x).backward();
    reference.step();
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(torch::allclose(ours.parameters()[i], theirs.parameters()[i], 1e-4, 1e-6));
  }
}

TEST(ClipScale, BringsTheNormDownToTheLimitAndNeverUp) {
  const double norm = norm_of(torch::tensor({3.0, 4.0}));
  EXPECT_DOUBLE_EQ(norm, 5.0);
  EXPECT_EQ(clip_scale(norm, 10.0), 1.0);
  EXPECT_DOUBLE_EQ(clip_scale(norm, 1.0), 0.2);
  EXPECT_EQ(clip_scale(norm, 0.0), 1.0) << "0 switches clipping off";
}

TEST(Adam, AScaleOfTheGradientIsTheSameAsScaledGradients) {
  torch::manual_seed(4);
  for (const auto dtype : {torch::kFloat, torch::kDouble}) {
    SmallModel inside, before;
    inside.to(dtype), before.to(dtype);
    ParameterBuffer inside_buffer(inside), before_buffer(before);
    before_buffer.values().copy_(inside_buffer.values());
    const auto gradient = torch::randn(inside_buffer.values().sizes(), dtype);
    inside_buffer.gradients().copy_(gradient);
    before_buffer.gradients().copy_(gradient * 0.25);
    Adam(inside_buffer, {}).step(0.01, 0.25);
    Adam(before_buffer, {}).step(0.01);
    EXPECT_TRUE(torch::allclose(inside_buffer.values(), before_buffer.values(), 0, 1e-7));
    EXPECT_TRUE(inside_buffer.gradients().equal(gradient)) << "they are left as they are";
  }
}

TEST(RowMath, NormsAndSumsDoNotDependOnTheThreads) {
  torch::manual_seed(5);
  const auto row = torch::randn({200'001}), other = torch::randn({200'001});
  const auto results = [&](int threads) {
    set_thread_count(threads);
    auto sum = row.clone();
    const double added = add_row(sum, other);
    return std::tuple(squared_norm(row), added, sum.sum().item<float>());
  };
  const int before = thread_count();
  EXPECT_EQ(results(1), results(3));
  set_thread_count(before);
}

}  // namespace
}  // namespace eatt
