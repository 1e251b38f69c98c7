#include "runtime/ensemble_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

// Always the same scores and attention.
class Constant : public StepModel {
 public:
  Constant(std::vector<float> logits, std::vector<float> attention, size_t most)
      : logits_(std::move(logits)), attention_(std::move(attention)), most_(most) {}
  size_t vocab() const override { return logits_.size(); }
  void start(std::span<const std::vector<int32_t>>) override {}
  StepScores step(std::span<const StepRow> rows) override {
    all_.clear();
    for (size_t i = 0; i < rows.size(); ++i)
      all_.insert(all_.end(), logits_.begin(), logits_.end());
    return {all_.data(), logits_.size(), {}};
  }
  std::span<const float> attention(size_t) const override { return attention_; }
  size_t max_target_pieces() const override { return most_; }

 private:
  std::vector<float> logits_, attention_, all_;
  size_t most_;
};

TEST(EnsembleSteps, ProbabilitiesAndAttentionAreAveragedByWeight) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<std::unique_ptr<StepModel>> models;
  models.push_back(
      std::make_unique<Constant>(std::vector{0.0f, 0.0f, -infinity}, std::vector{1.0f, 0.0f}, 20));
  models.push_back(std::make_unique<Constant>(
      std::vector{7 + std::log(0.1f), 7 + std::log(0.7f), 7 + std::log(0.2f)},
      std::vector{0.2f, 0.8f}, 10));
  EnsembleSteps ensemble(std::move(models), {3, 1});
  const std::vector<StepRow> rows(2);
  const StepScores scores = ensemble.step(rows);
  ASSERT_EQ(scores.columns, 3u);
  const float close = 1e-6f;  // Single precision, a few operations.
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_NEAR(std::exp(scores.logits[row * 3]), 0.75 * 0.5 + 0.25 * 0.1, close);
    EXPECT_NEAR(std::exp(scores.logits[row * 3 + 1]), 0.75 * 0.5 + 0.25 * 0.7, close);
    EXPECT_NEAR(std::exp(scores.logits[row * 3 + 2]), 0.25 * 0.2, close);
    EXPECT_THAT(ensemble.attention(row),
                ElementsAre(FloatNear(0.8f, close), FloatNear(0.2f, close)));
  }
  EXPECT_EQ(ensemble.max_target_pieces(), 10u);
}

}  // namespace
}  // namespace eatt
