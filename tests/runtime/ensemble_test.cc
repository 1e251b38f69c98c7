#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "runtime/search/step_model.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;

const SearchTask kTask = {.source = {4, 5, 6}};

std::unique_ptr<StepModel> toy(ToyLogits logits, size_t vocab = 7) {
  auto model = std::make_unique<ToyModel>(std::move(logits), vocab);
  model->attends = true;
  return model;
}

EnsembleModel pair(ToyLogits first, ToyLogits second, std::vector<double> weights = {1, 1}) {
  std::vector<std::unique_ptr<StepModel>> models;
  models.push_back(toy(std::move(first)));
  models.push_back(toy(std::move(second)));
  return EnsembleModel(std::move(models), std::move(weights));
}

TEST(Ensemble, OfAModelWithItselfIsThatModel) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto alone = toy(random_logits(seed, 7));
    auto twice = pair(random_logits(seed, 7), random_logits(seed, 7));
    const SearchOptions options{.beam_size = 4, .n_best = 4, .coverage_penalty = 0.2};
    const auto expected = search_one(*alone, kTask, options);
    const auto found = search_one(twice, kTask, options);
    ASSERT_EQ(pieces_of(found), pieces_of(expected));
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);  // Twenty float logarithms.
      EXPECT_FLOAT_EQ(found[i].attention[0][2], expected[i].attention[0][2]);
    }
  }
}

TEST(Ensemble, AveragesProbabilitiesNotLogarithms) {
  auto models = pair(constant_probabilities({0.1, 0.8, 0.05, 0.05}),
                     constant_probabilities({0.3, 0.2, 0.05, 0.45}));
  const auto score = [&] {
    return score_targets(models, std::vector<ScoreTask>{{{4}, {kA, kC}}})[0];
  };
  EXPECT_NEAR(score().piece_scores[0], std::log(0.5), 1e-6);
  EXPECT_NEAR(score().piece_scores[1], std::log(0.25), 1e-6);
  EXPECT_NEAR(score().piece_scores[2], std::log(0.2), 1e-6);
}

TEST(Ensemble, WeightsAreRelative) {
  auto models = pair(constant_probabilities({0.1, 0.8, 0.05, 0.05}),
                     constant_probabilities({0.3, 0.2, 0.05, 0.45}), {3, 1});
  const auto scored = score_targets(models, std::vector<ScoreTask>{{{4}, {kA}}})[0];
  EXPECT_NEAR(scored.piece_scores[0], std::log(0.65), 1e-6);
}

TEST(Ensemble, AveragesAttention) {
  class Mirrored : public ToyModel {
   public:
    using ToyModel::ToyModel;
    std::span<const float> attention(size_t row) const override {
      const auto own = ToyModel::attention(row);
      mirrored_.assign(own.rbegin(), own.rend());
      return mirrored_;
    }

   private:
    mutable std::vector<float> mirrored_;
  };
  std::vector<std::unique_ptr<StepModel>> models;
  models.push_back(toy(random_logits(1, 7)));
  auto mirrored = std::make_unique<Mirrored>(random_logits(1, 7), 7);
  mirrored->attends = true;
  models.push_back(std::move(mirrored));
  EnsembleModel ensemble(std::move(models), {1, 3});
  const auto found = score_targets(ensemble, std::vector<ScoreTask>{{kTask.source, {}}})[0];
  const auto own = ToyModel::attention_of(kTask.source, {});
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ(found.attention[0][i], 0.25f * own[i] + 0.75f * own[3 - i]);
  }
}

TEST(Ensemble, SaysThatAModelComputedNaN) {
  auto models = pair(random_logits(1, 7),
                     [](const Ids&, const Ids&) { return std::vector<float>(7, std::nanf("")); });
  EXPECT_THROW(search_one(models, kTask, {}), Error);
}

TEST(Ensemble, KeepsPiecesThatAreTooUnlikelyForAFloat) {
  const ToyLogits logits = [](const Ids&, const Ids&) {
    return std::vector<float>{kNever, kNever, kNever, 0, -200, kNever, kNever};
  };
  auto models = pair(logits, logits);
  const auto scored = score_targets(models, std::vector<ScoreTask>{{{4}, {kA}}, {{4}, {kB}}});
  EXPECT_NEAR(scored[0].piece_scores[0], -200, 0.7);
  EXPECT_EQ(scored[1].piece_scores[0], -1e4);  // Ruled out by both.
}

TEST(Ensemble, GoesNoFurtherThanItsShortestModel) {
  std::vector<std::unique_ptr<StepModel>> models;
  for (const size_t most : {9u, 4u}) {
    auto model = std::make_unique<ToyModel>(constant_probabilities({0.1, 0.9}), 5);
    model->max_target = most;
    models.push_back(std::move(model));
  }
  EnsembleModel ensemble(std::move(models), {1, 1});
  const auto found = search_one(ensemble, kTask, {});
  EXPECT_EQ(found[0].pieces.size(), 3u);
  EXPECT_FALSE(found[0].finished);
  EXPECT_TRUE(found[0].attention.empty());
}

}  // namespace
}  // namespace eatt
