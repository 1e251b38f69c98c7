#include <gtest/gtest.h>

#include "model/layers.h"
#include "reference_attention.h"
#include "small_models.h"

namespace eatt {
namespace {

using namespace testing;

class EachMechanism : public ::testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override { torch::manual_seed(7); }

  // The attention of one role, in double, with shaken weights.
  AttentionLayer attention(Role role) {
    AttentionLayer layer(small_architecture(GetParam()), role, 0, AttentionTraining{});
    layer->to(torch::kDouble);
    shake(*layer);
    layer->eval();
    return layer;
  }
};
INSTANTIATE_TEST_SUITE_P(Attention, EachMechanism, kAllMechanisms, name_of_case);

TEST_P(EachMechanism, EqualsPlainLoopsInSelfAttentionWithPaddingAndCausality) {
  for (const bool causal : {false, true}) {
    const Role role = causal ? Role::decoder_self : Role::encoder_self;
    auto layer = attention(role);
    const auto x = away_from(1.0, {2, 5, 12});
    const auto lengths = torch::tensor({5, 3});
    const auto mask = AttentionMask::from_lengths(lengths, 5, causal, 5);
    AttentionTrace trace;
    const auto output = layer->forward({x, x, {}}, mask, &trace);
    for (int64_t b = 0; b < 2; ++b) {
      const auto expected =
          reference_attention(small_architecture(GetParam()), role, parameters_of(*layer), x[b],
                              x[b], lengths[b].item<int64_t>(), causal);
      EXPECT_TRUE(torch::allclose(output[b], expected.output, 0, 1e-12));
      EXPECT_TRUE(torch::allclose(trace.weights[b], expected.weights, 0, 1e-12));
    }
  }
}

TEST_P(EachMechanism, EqualsPlainLoopsInCrossAttention) {
  auto layer = attention(Role::cross);
  const auto x = away_from(1.0, {1, 4, 12});
  const auto y = away_from(1.0, {1, 7, 12});
  const auto mask = AttentionMask::from_lengths(torch::tensor({6}), 7, /*causal=*/false, 4);
  const auto output = layer->forward({x, y, {}}, mask);
  const auto expected = reference_attention(small_architecture(GetParam()), Role::cross,
                                            parameters_of(*layer), x[0], y[0], 6, false);
  EXPECT_TRUE(torch::allclose(output[0], expected.output, 0, 1e-12));
}

TEST_P(EachMechanism, AFullyMaskedQueryGivesTheOutputBiasAndGradientZero) {
  auto layer = attention(Role::cross);
  auto x = away_from(1.0, {2, 3, 12}).requires_grad_();
  auto y = away_from(1.0, {2, 4, 12}).requires_grad_();
  const auto mask = AttentionMask::from_lengths(torch::tensor({0, 4}), 4, /*causal=*/false, 3);
  const auto output = layer->forward({x, y, {}}, mask);
  const auto bias = parameters_of(*layer).at("out_proj.bias");
  EXPECT_TRUE(output[0].equal(bias.expand({3, 12}))) << "attention itself gives 0";
  output.square().sum().backward();
  EXPECT_TRUE(y.grad()[0].equal(torch::zeros({4, 12}, torch::kDouble)));
  EXPECT_GT(y.grad()[1].abs().sum().item<double>(), 0);
  // A randinit score never reads x, so x has a gradient in no mechanism's masked row.
  if (x.grad().defined()) {
    EXPECT_TRUE(x.grad()[0].equal(torch::zeros({3, 12}, torch::kDouble)));
  }
}

TEST_P(EachMechanism, KeysBehindTheLengthChangeNothing) {
  auto layer = attention(Role::cross);
  const auto x = away_from(1.0, {1, 3, 12});
  const auto y = away_from(1.0, {1, 4, 12});
  const auto longer = torch::cat({y, away_from(1.0, {1, 5, 12})}, 1);
  const auto lengths = torch::tensor({4});
  const auto plain =
      layer->forward({x, y, {}}, AttentionMask::from_lengths(lengths, 4, /*causal=*/false, 3));
  const auto padded =
      layer->forward({x, longer, {}}, AttentionMask::from_lengths(lengths, 9, /*causal=*/false, 3));
  EXPECT_TRUE(torch::allclose(plain, padded, 0, 1e-14));
}

TEST_P(EachMechanism, CausalQueriesDoNotSeeLaterPositions) {
  auto layer = attention(Role::decoder_self);
  const auto x = away_from(1.0, {1, 6, 12});
  auto changed = x.clone();
  changed.slice(1, 4) = away_from(1.0, {1, 2, 12});
  const auto mask = AttentionMask::from_lengths(torch::tensor({6}), 6, /*causal=*/true, 6);
  const auto before = layer->forward({x, x, {}}, mask);
  const auto after = layer->forward({changed, changed, {}}, mask);
  EXPECT_TRUE(torch::allclose(before.slice(1, 0, 4), after.slice(1, 0, 4), 0, 1e-14));
  EXPECT_FALSE(torch::allclose(before.slice(1, 4), after.slice(1, 4), 0, 1e-6));
}

TEST_P(EachMechanism, ASentencesResultDoesNotDependOnItsBatch) {
  auto layer = attention(Role::encoder_self);
  const auto x = away_from(1.0, {3, 5, 12});
  const auto lengths = torch::tensor({5, 2, 4});
  const auto together =
      layer->forward({x, x, {}}, AttentionMask::from_lengths(lengths, 5, /*causal=*/false, 5));
  for (int64_t b = 0; b < 3; ++b) {
    const auto one = x.slice(0, b, b + 1);
    const auto mask =
        AttentionMask::from_lengths(lengths.slice(0, b, b + 1), 5, /*causal=*/false, 5);
    EXPECT_TRUE(torch::allclose(layer->forward({one, one, {}}, mask)[0], together[b], 0, 1e-14));
  }
}

TEST(Attention, WithSignedCodesEqualsPlainLoops) {
  torch::manual_seed(7);
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    for (const size_t levels : {1, 2, 3, 6}) {
      Architecture a = small_architecture(mechanism);
      a.code_levels = levels;
      a.threshold.value = 0.3;
      AttentionLayer layer(a, Role::cross, 0, AttentionTraining{});
      layer->to(torch::kDouble);
      shake(*layer);
      const auto x = torch::randn({1, 4, 12}, torch::kDouble);
      const auto y = torch::randn({1, 7, 12}, torch::kDouble);
      const auto mask = AttentionMask::from_lengths(torch::tensor({6}), 7, /*causal=*/false, 4);
      const auto output = layer->forward({x, y, {}}, mask);
      const auto expected =
          reference_attention(a, Role::cross, parameters_of(*layer), x[0], y[0], 6, false);
      EXPECT_TRUE(torch::allclose(output[0], expected.output, 0, 1e-12));
    }
  }
}

TEST(Attention, CodesAndWeightsCanBeAskedFor) {
  AttentionLayer layer(small_architecture(Mechanism::eatt), Role::encoder_self, 0,
                       AttentionTraining{});
  const auto x = torch::randn({1, 4, 12});
  AttentionTrace trace;
  layer->forward({x, x, {}}, AttentionMask::from_lengths(torch::tensor({4}), 4, false, 4), &trace);
  EXPECT_TRUE(trace.query_codes.equal(x.gt(1.0).to(torch::kFloat)));
  EXPECT_TRUE(trace.key_codes.equal(trace.query_codes));
  EXPECT_TRUE(torch::allclose(trace.weights.sum(-1), torch::ones({1, 3, 4})));
}

TEST(Attention, ALearnedScaleStartsAtTheChosenDivisor) {
  auto fixed = small_architecture(Mechanism::eatt);
  fixed.encoder_self.scale = {ScaleKind::fixed, 2.5};
  auto learned = fixed;
  learned.encoder_self.scale = {ScaleKind::learned, 2.5};
  const auto x = torch::randn({1, 4, 12});
  const auto mask = AttentionMask::from_lengths(torch::tensor({4}), 4, false, 4);
  torch::manual_seed(3);
  AttentionLayer a(fixed, Role::encoder_self, 0, AttentionTraining{});
  torch::manual_seed(3);
  AttentionLayer b(learned, Role::encoder_self, 0, AttentionTraining{});
  // One multiplies scores, the other queries and keys.
  EXPECT_TRUE(torch::allclose(a->forward({x, x, {}}, mask), b->forward({x, x, {}}, mask),
                              /*rtol=*/1e-5, /*atol=*/1e-6));
  EXPECT_EQ(parameters_of(*b).count("score_scale"), 1u);
}

}  // namespace
}  // namespace eatt
