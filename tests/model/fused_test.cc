
#include <gtest/gtest.h>

#include "model/building_blocks.h"
#include "small_models.h"

namespace eatt {
namespace {

using namespace testing;
using Function = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

// The result and, for a fixed random incoming gradient, the gradient of every input.
std::vector<torch::Tensor> with_gradients(const Function& function,
                                          const std::vector<torch::Tensor>& inputs) {
  std::vector<torch::Tensor> leaves;
  for (const auto& input : inputs) leaves.push_back(input.detach().clone().requires_grad_());
  const auto out = function(leaves);
  torch::manual_seed(99);
  out.backward(torch::randn(out.sizes(), torch::kDouble).to(out.scalar_type()));
  std::vector<torch::Tensor> results = {out.detach()};
  for (const auto& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

void expect_like_generic(const Function& function, const std::vector<torch::Tensor>& inputs) {
  const auto fused = with_gradients(function, inputs);
  const WithoutFusedKernels generic;
  const auto expected = with_gradients(function, inputs);
  for (size_t i = 0; i < fused.size(); ++i) {
    if (fused[i].numel() == 0) continue;
    const double size = std::max(1.0, expected[i].abs().max().item<double>());
    const double error = (fused[i] - expected[i]).abs().max().item<double>();
    EXPECT_LT(error, 1e-5 * size) << (i == 0 ? "result" : "gradient");
  }
}

std::shared_ptr<Random> same_random() { return std::make_shared<Random>(31); }

Function norm_function(double epsilon = 1e-5) {
  return [epsilon](const std::vector<torch::Tensor>& in) {
    torch::nn::LayerNorm norm(
        torch::nn::LayerNormOptions({in[1].numel()}).eps(epsilon).elementwise_affine(true));
    norm->weight = in[1];
    norm->bias = in[2];
    return normalise(in[0], norm);
  };
}

// in[0] through a layer with weight in[1] and bias in[2].
Function hidden_function(double rate) {
  return [rate](const std::vector<torch::Tensor>& in) {
    torch::nn::Linear linear(in[1].size(1), in[1].size(0));
    linear->weight = in[1];
    linear->bias = in[2];
    return hidden_units(in[0], linear, rate, same_random());
  };
}

TEST(FusedKernels, AreSwitchedOffForTheLifeOfAScopeOnly) {
  EXPECT_TRUE(fused_kernels_enabled());
  {
    const WithoutFusedKernels outer;
    { const WithoutFusedKernels inner; }
    EXPECT_FALSE(fused_kernels_enabled());
    EXPECT_FALSE(fused_kernels_take(torch::zeros({1})));
  }
  EXPECT_TRUE(fused_kernels_take(torch::zeros({1})));
  EXPECT_FALSE(fused_kernels_take(torch::zeros({1}, torch::kDouble)));
}

TEST(FusedKernels, LayerNormIsLibtorchs) {
  torch::manual_seed(7);
  for (const int64_t width : {5, 12, 128, 333}) {
    SCOPED_TRACE(width);
    expect_like_generic(norm_function(), {torch::randn({3, 150, width}), torch::randn({width}),
                                          torch::randn({width})});
  }
  expect_like_generic(norm_function(),
                      {torch::randn({0, 4}), torch::randn({4}), torch::randn({4})});
}

TEST(FusedKernels, DropoutAndResidualAreTheGenericOnes) {
  torch::manual_seed(8);
  const auto x = torch::randn({5, 77, 300}), change = torch::randn({5, 77, 300});
  expect_like_generic([](const auto& in) { return dropout(in[0], 0.2, same_random()); }, {x});
  expect_like_generic([](const auto& in) { return add_dropped(in[0], in[1], 0.2, same_random()); },
                      {x, change});
}

TEST(FusedKernels, HiddenUnitsAreTheGenericOnes) {
  torch::manual_seed(13);
  for (const double rate : {0.0, 0.2}) {
    expect_like_generic(hidden_function(rate),
                        {torch::randn({7, 60, 24}), torch::randn({150, 24}), torch::randn({150})});
    expect_like_generic(hidden_function(rate),
                        {torch::randn({0, 4}), torch::randn({5, 4}), torch::randn({5})});
  }
}

TEST(FusedKernels, TensorsThatAreNotContiguousWorkToo) {
  torch::manual_seed(9);
  const auto x = torch::randn({12, 6, 5}), change = torch::randn({12, 6, 5});
  const auto turned = [](const torch::Tensor& t) { return t.transpose(0, 2); };
  expect_like_generic(
      [&](const auto& in) {
        // The incoming gradient is not contiguous either.
        return turned(hidden_function(0.3)({turned(in[0]), in[1], in[2]}));
      },
      {x, torch::randn({8, 12}), torch::randn({8})});
  expect_like_generic(
      [&](const auto& in) {
        return turned(add_dropped(turned(in[0]), turned(in[1]), 0.3, same_random()));
      },
      {x, change});
  expect_like_generic(
      [&](const auto& in) {
        return turned(norm_function()({turned(in[0]), in[1], in[2]}));
      },
      {x, torch::randn({12}), torch::randn({12})});
}

// Central differences of Σ out · weights; float allows no more than three digits.
TEST(FusedKernels, GradientsAreTheNumericOnes) {
  torch::manual_seed(10);
  const auto check = [](const Function& function, std::vector<torch::Tensor> inputs) {
    const auto results = with_gradients(function, inputs);
    torch::manual_seed(99);
    const auto weights = torch::randn(results[0].sizes(), torch::kDouble);
    const torch::NoGradGuard no_grad;
    const auto value = [&] {
      return (function(inputs).to(torch::kDouble) * weights).sum().item<double>();
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (int64_t j = 0; j < inputs[i].numel(); ++j) {
        auto element = inputs[i].view(-1)[j];
        element += 0.01;
        const double up = value();
        element -= 0.02;
        const double down = value();
        element += 0.01;
        EXPECT_NEAR(results[i + 1].view(-1)[j].item<double>(), (up - down) / 0.02, 5e-3);
      }
    }
  };
  const auto away = [](torch::IntArrayRef shape) { return away_from(0, shape).to(torch::kFloat); };
  check(norm_function(1e-3), {torch::randn({3, 7}), torch::randn({7}), torch::randn({7})});
  // Sums far from 0, where relu has no gradient to speak of.
  check(hidden_function(0.3), {away({4, 3}), torch::eye(3), torch::full({3}, 0.001f)});
  check([](const auto& in) { return add_dropped(in[0], in[1], 0.3, same_random()); },
        {away({4, 9}), away({4, 9})});
}

TEST(FusedKernels, ResultsDoNotDependOnTheThreads) {
  torch::manual_seed(11);
  const std::vector<torch::Tensor> inputs = {torch::randn({700, 300}), torch::randn({300}),
                                             torch::randn({300})};
  const auto with_threads = [&](int threads) {
    const int before = torch::get_num_threads();
    torch::set_num_threads(threads);
    auto results = with_gradients(norm_function(), inputs);
    results.push_back(dropout(inputs[0], 0.1, same_random()));
    torch::set_num_threads(before);
    return results;
  };
  const auto one = with_threads(1), three = with_threads(3);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(three[i])) << i;
}

// Whole models, both placements of the norm, dropout everywhere; in one of them not in the codes.
class FusedModel : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(FusedKernels, FusedModel, kAllMechanisms, name_of_case);

TEST_P(FusedModel, HasLogitsAndGradientsOfTheGenericOne) {
  const TokenBatch source{torch::tensor({{4, 5, 6, 7, 3}, {8, 9, 3, 0, 0}}), torch::tensor({5, 3})};
  const TokenBatch target{torch::tensor({{2, 4, 5, 6}, {2, 7, 0, 0}}), torch::tensor({4, 2})};
  for (const auto norm : {NormPlacement::pre, NormPlacement::post}) {
    auto architecture = small_architecture(GetParam(), 2);
    architecture.norm = norm;
    const auto results = [&] {
      torch::manual_seed(12);
      ModelTraining training;
      training.dropout = {.residual = 0.2, .attention = 0.2, .ffn = 0.2};
      training.random = same_random();
      training.codes.without_dropout = norm == NormPlacement::pre;
      Transformer model(architecture, training);
      shake(*model, 0.1);
      model->train();
      const auto logits = model->logits(model->decode(model->encode(source), target));
      logits.square().mean().backward();
      std::vector<torch::Tensor> found = {logits.detach()};
      for (const auto& parameter : model->parameters()) {
        if (parameter.grad().defined()) found.push_back(parameter.grad());
      }
      return found;
    };
    const auto fused = results();
    const WithoutFusedKernels generic;
    const auto expected = results();
    ASSERT_EQ(fused.size(), expected.size());
    for (size_t i = 0; i < fused.size(); ++i) {
      EXPECT_TRUE(torch::allclose(fused[i], expected[i], 1e-4, 1e-5)) << i;
    }
  }
}

}  // namespace
}  // namespace eatt
