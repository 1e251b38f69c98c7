#include <gtest/gtest.h>

#include <cmath>

#include "training/update/learner.h"

namespace eatt {
namespace {

// Two pairs of different lengths; the last link of each is between the end markers.
const std::vector<PiecePair> kPairs = {
    {{5, 6, 7}, {8, 9}, {{2, 0}, {0, 1}, {1, 1}, {3, 2}}},
    {{7, 5}, {9, 8, 6}, {{1, 0}, {0, 2}, {2, 3}}},
};

Architecture small_architecture(Mechanism mechanism, int64_t width = 8) {
  TrainingOptions options;
  apply_recipe_named("tiny", options);
  options.attention = std::string(mechanism_name(mechanism));
  options.model_dim = width;
  options.ffn_dim = 16;
  options.heads = 2;
  options.enc_depth = 1;
  options.dec_depth = 2;
  options.max_length = 16;
  return make_architecture(options, 12, 12);
}

TrainingOptions options_with(double weight, int64_t layer = 0) {
  TrainingOptions options;
  options.dropout = 0;
  options.guided_alignment_weight = weight;
  options.guided_alignment_layer = layer;
  return options;
}

torch::Tensor cross_attention(Transformer& model, const TrainingBatch& batch, size_t layer) {
  ModelTrace trace;
  trace.wants_weights = false;
  trace.guided_layer = layer;
  model->decode(model->encode(batch.source), batch.target, &trace);
  return trace.cross[layer].weights;
}

double alignment_loss(Transformer& model, size_t layer) {
  const TrainingBatch batch = make_batch(kPairs);
  return guided_alignment_loss(cross_attention(model, batch, layer), *batch.guide).item<double>();
}

TEST(GuidedAlignment, LinkedPositionsShareARowAlike) {
  const TrainingBatch batch = make_batch(kPairs);
  ASSERT_TRUE(batch.guide);
  // Attention is [2, 4, 4]: the longer side of each pair, end markers included.
  EXPECT_TRUE(batch.guide->places.equal(torch::tensor({2, 4, 5, 11, 17, 24, 30})));
  EXPECT_TRUE(batch.guide->shares.equal(torch::tensor({1.f, .5f, .5f, 1.f, 1.f, 1.f, 1.f})));
  EXPECT_EQ(batch.guide->rows, 6);
}

TEST(GuidedAlignment, PairsWithoutLinksAreNotGuided) {
  EXPECT_FALSE(make_batch(std::vector<PiecePair>{{{5}, {6}}}).guide);
}

TEST(GuidedAlignment, TheLossIsTheCrossEntropyOfTheMeanOverHeads) {
  const TrainingBatch batch = make_batch(std::vector<PiecePair>{{{5}, {6}, {{0, 0}, {1, 0}}}});
  // One row of two heads: (0.9, 0.1) and (0.3, 0.7) have the mean (0.6, 0.4).
  auto attention = torch::zeros({1, 2, 2, 2});
  attention[0][0][0] = torch::tensor({0.9f, 0.1f});
  attention[0][1][0] = torch::tensor({0.3f, 0.7f});
  EXPECT_NEAR(guided_alignment_loss(attention, *batch.guide).item<double>(),
              -0.5 * std::log(0.6) - 0.5 * std::log(0.4), 1e-6);
}

TEST(GuidedAlignment, ItsGradientIsTheNumericOneForEveryMechanism) {
  for (const Mechanism mechanism : kMechanisms) {
    torch::manual_seed(3);
    Transformer model(small_architecture(mechanism), ModelTraining{});
    model->to(torch::kDouble);
    model->eval();
    const TrainingBatch batch = make_batch(kPairs);
    const auto loss = [&] {
      return guided_alignment_loss(cross_attention(model, batch, 1), *batch.guide);
    };
    model->zero_grad();
    loss().backward();
    // Below the guided layer's own weights there are codes, whose surrogate gradient is not
    // numeric.
    int compared = 0;
    for (const auto& item : model->named_parameters()) {
      const bool guided = item.key().starts_with("decoder.layers.1.cross_attn.") &&
                          item.key().find("threshold") == std::string::npos;
      if (!guided || !item.value().grad().defined()) continue;
      auto value = item.value().detach().flatten();
      const auto gradient = item.value().grad().flatten();
      const int64_t at = gradient.abs().argmax().item<int64_t>();
      const double step = 1e-6, before = value[at].item<double>();
      const auto loss_at = [&](double number) {
        const torch::NoGradGuard no_grad;
        value[at] = number;
        return loss().item<double>();
      };
      const double numeric = (loss_at(before + step) - loss_at(before - step)) / (2 * step);
      loss_at(before);
      ++compared;
      EXPECT_NEAR(gradient[at].item<double>(), numeric, 1e-5 + 1e-4 * std::abs(numeric))
          << mechanism_name(mechanism) << " " << item.key();
    }
    EXPECT_GT(compared, 0) << mechanism_name(mechanism);
  }
}

// Codes of 8 features are too coarse for it: with some seeds a third of the loss is left. With 32
// features it is about a tenth (7 seeds tried).
TEST(GuidedAlignment, ALearnerPutsItsAttentionWhereTheLinksAre) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt}) {
    const auto learned = [&](double weight, int64_t layer) {
      Learner learner(small_architecture(mechanism, 32), options_with(weight, layer));
      const std::vector<std::vector<PiecePair>> batches = {kPairs};
      double first = 0;
      for (uint64_t i = 0; i < 150; ++i) {
        const UpdateResult result = learner.update(batches, 0.01, i);
        if (i == 0) first = result.alignment_loss;
        EXPECT_EQ(result.alignment_rows, weight > 0 ? 6 : 0);
      }
      EXPECT_EQ(first > 0, weight > 0);
      learner.model()->eval();
      return std::pair(alignment_loss(learner.model(), 0), alignment_loss(learner.model(), 1));
    };
    const auto without = learned(0, 0), last = learned(1, 0), first = learned(1, 1);
    EXPECT_LT(last.second, 0.3 * without.second) << mechanism_name(mechanism);
    EXPECT_LT(first.first, 0.3 * without.first) << mechanism_name(mechanism);
  }
}

TEST(GuidedAlignment, WithoutWeightALearnerComputesTheSameBits) {
  std::vector<PiecePair> without_links = kPairs;
  for (PiecePair& pair : without_links) pair.links.clear();
  const auto weights = [&](const std::vector<PiecePair>& pairs, double weight) {
    Learner learner(small_architecture(Mechanism::eatt), options_with(weight));
    const std::vector<std::vector<PiecePair>> batches = {pairs};
    for (uint64_t i = 0; i < 5; ++i) learner.update(batches, 0.01, i);
    return learner.parameters().values().clone();
  };
  EXPECT_TRUE(weights(kPairs, 0).equal(weights(without_links, 0.1)));
  EXPECT_FALSE(weights(kPairs, 0.1).equal(weights(without_links, 0.1)));
}

}  // namespace
}  // namespace eatt
