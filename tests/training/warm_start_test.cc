#include "training/run/warm_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../model/small_models.h"

namespace eatt {
namespace {

using namespace testing;

const double kDensity = std::erfc(1 / std::numbers::sqrt2) / 2;  // P(x > 1), x ~ N(0, 1)

TEST(CodeFit, OfNormalInputsIsTheClosedForm) {
  torch::manual_seed(1);
  const auto x = torch::randn({200'000, 1}) * 2 + 3;  // Threshold 5 is one deviation above.
  const CodeFit fit = fit_codes(x, x.gt(5).to(torch::kFloat));
  // E[x | code] is linear in a binary code: 3 − 2φ(1)/(1 − ρ) at 0, 3 + 2φ(1)/ρ at 1.
  const double bell = std::exp(-0.5) / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(fit.offset.item<double>(), 3 - 2 * bell / (1 - kDensity), 0.02);
  EXPECT_NEAR((fit.offset + fit.slope).item<double>(), 3 + 2 * bell / kDensity, 0.02);
}

TEST(CodeFit, OfACodeThatNeverChangesIsTheMean) {
  const auto x = torch::tensor({{1.0}, {2.0}, {6.0}});
  const CodeFit fit = fit_codes(x, torch::zeros({3, 1}));
  EXPECT_EQ(fit.slope.item<double>(), 0);
  EXPECT_NEAR(fit.offset.item<double>(), 3, 1e-12);
}

// Inputs with other means and spreads in every feature, alike for all attentions.
AttentionInputs uneven_inputs(const Architecture& a) {
  const auto width = static_cast<int64_t>(a.model_dim);
  const auto x =
      torch::randn({5000, width}) * torch::linspace(0.2, 3, width) + torch::linspace(-1, 2, width);
  const std::vector<torch::Tensor> layers(a.encoder_layers(), x);
  return {.encoder_self = layers, .decoder_self = layers, .cross = layers, .memory = x};
}

struct Converted {
  explicit Converted(size_t levels, bool learned) {
    torch::manual_seed(4);
    const Architecture theirs = small_architecture(Mechanism::l1, 2);
    ours = small_architecture(Mechanism::eatt, 2);
    ours.code_levels = levels;
    ours.threshold = {.learned = learned, .value = 1};
    Transformer model(theirs, ModelTraining{});
    shake(*model);
    before = after = weights_of(*model);
    inputs = uneven_inputs(theirs);
    projections = projections_to_convert(theirs, ours, before);
    convert_to_codes(projections, inputs, ours, after);
  }
  torch::Tensor codes(const CodeProjection& projection) const {
    const auto threshold =
        ours.threshold.learned ? after.at(projection.threshold) : torch::tensor(1.0f);
    return make_codes(inputs.of(projection), threshold, ours).values;
  }

  Architecture ours;
  NamedWeights before, after;
  AttentionInputs inputs;
  std::vector<CodeProjection> projections;
};

TEST(WarmStart, QueriesAndKeysOfCodesKeepTheirMeansAndAreNearestToWhatTheyWere) {
  for (const size_t levels : {0, 1, 6}) {
    for (const bool learned : {false, true}) {
      const Converted model(levels, learned);
      EXPECT_EQ(model.projections.size(), 12u);  // Queries and keys, three roles, two layers.
      for (const CodeProjection& one : model.projections) {
        const auto project = [&](const NamedWeights& weights, const torch::Tensor& x) {
          return torch::linear(x, weights.at(one.weight), weights.at(one.bias));
        };
        const auto wanted = project(model.before, model.inputs.of(one));
        const auto found = project(model.after, model.codes(one));
        EXPECT_TRUE(torch::allclose(found.mean(0), wanted.mean(0), 1e-4, 1e-4)) << one.weight;
        const auto error = (found - wanted).square().mean();
        NamedWeights other = model.after;
        for (const double factor : {0.9, 1.1}) {
          other[one.weight] = model.after.at(one.weight) * factor;
          const auto shifted = project(other, model.codes(one));
          const auto centered = shifted - shifted.mean(0) + wanted.mean(0);
          EXPECT_LT(error.item<float>(), (centered - wanted).square().mean().item<float>());
        }
      }
    }
  }
}

TEST(WarmStart, LearnedThresholdsGiveEveryFeatureTheDensityOfNormalInputs) {
  for (const size_t levels : {0, 1}) {
    const Converted model(levels, /*learned=*/true);
    const double wanted = levels == 0 ? kDensity : 2 * kDensity;
    for (const CodeProjection& one : model.projections) {
      const auto densities = model.codes(one).ne(0).to(torch::kDouble).mean(0);
      EXPECT_LT((densities - wanted).abs().max().item<double>(), 1e-3) << one.threshold;
    }
  }
}

TEST(WarmStart, ProjectionsThatReadCodesAlreadyAndOtherMechanismsAreLeftAlone) {
  const Architecture eatt = small_architecture(Mechanism::eatt);
  const Architecture dense = small_architecture(Mechanism::dense);
  const auto convert = [](const Architecture& theirs, const Architecture& ours) {
    Transformer model(theirs, ModelTraining{});
    return projections_to_convert(theirs, ours, weights_of(*model)).size();
  };
  EXPECT_EQ(convert(eatt, eatt), 0u);
  EXPECT_EQ(convert(dense, eatt), 0u);
  EXPECT_EQ(convert(small_architecture(Mechanism::vanilla), small_architecture(Mechanism::l1)), 0u);
  Architecture half = small_architecture(Mechanism::vanilla, 2);
  half.cross.layers[0] = Mechanism::eatt;
  EXPECT_EQ(convert(half, small_architecture(Mechanism::eatt, 2)), 10u);
}

}  // namespace
}  // namespace eatt
