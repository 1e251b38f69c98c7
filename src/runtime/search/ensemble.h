#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/search/step_model.h"

namespace eatt {

// Several models as one: the probability of a piece is the weighted mean of theirs, and so is the
// attention, which is empty unless all of them give it. If they have shortlists, it is the same.
class EnsembleModel : public StepModel {
 public:
  // One weight per model, above 0; their sum counts as 1. Vocabularies are equal.
  EnsembleModel(std::vector<std::unique_ptr<StepModel>> models, std::vector<double> weights);

  size_t vocab() const override { return models_[0]->vocab(); }
  void require_pieces(std::span<const std::vector<int32_t>> pieces) override;
  void start(std::span<const std::vector<int32_t>> sources) override;
  StepScores step(std::span<const StepRow> rows) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;

 private:
  void mix_row(std::span<const StepScores> scores, size_t row, float* out);
  float faint_score(std::span<const RowScores> rows, size_t column) const;
  void mix_attention(size_t rows);

  std::vector<std::unique_ptr<StepModel>> models_;
  std::vector<double> weights_;                // Their sum is 1.
  std::vector<float> scores_;                  // Row by row.
  std::vector<RowLogits> rows_;                // Parts of scores_.
  std::vector<float> probabilities_;           // [columns], of one model
  std::vector<std::vector<float>> attention_;  // [rows][source pieces + 1]
};

}  // namespace eatt
