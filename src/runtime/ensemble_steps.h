#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/step_model.h"

namespace eatt {

// Several models of equal vocabularies as one: probabilities are averaged with their weights, and
// so is attention. Scores are log-probabilities.
class EnsembleSteps : public StepModel {
 public:
  // One weight per model, above 0; their sum counts as 1.
  EnsembleSteps(std::vector<std::unique_ptr<StepModel>> models, std::vector<double> weights);

  size_t vocab() const override { return models_.front()->vocab(); }
  void start(std::span<const std::vector<int32_t>> sources) override;
  StepScores step(std::span<const StepRow> rows) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;

 private:
  void add_probabilities(const StepScores& scores, size_t rows, double weight);

  std::vector<std::unique_ptr<StepModel>> models_;
  std::vector<double> weights_;
  std::vector<float> scores_;  // [rows, columns]
  mutable std::vector<float> attention_;
};

}  // namespace eatt
