#include "runtime/ensemble_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace eatt {

EnsembleSteps::EnsembleSteps(std::vector<std::unique_ptr<StepModel>> models,
                             std::vector<double> weights)
    : models_(std::move(models)), weights_(std::move(weights)) {
  expects(!models_.empty() && models_.size() == weights_.size(), "a weight for each model");
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= sum;
}

void EnsembleSteps::start(std::span<const std::vector<int32_t>> sources) {
  for (const auto& model : models_) model->start(sources);
}

StepScores EnsembleSteps::step(std::span<const StepRow> rows) {
  StepScores together;
  for (size_t i = 0; i < models_.size(); ++i) {
    const StepScores scores = models_[i]->step(rows);
    if (i == 0) {
      together = scores;
      scores_.assign(rows.size() * scores.columns, 0.0f);
    }
    expects(
        scores.columns == together.columns && std::ranges::equal(scores.pieces, together.pieces),
        "models of an ensemble give scores of the same pieces");
    add_probabilities(scores, rows.size(), weights_[i]);
  }
  for (float& score : scores_) score = std::log(score);
  together.logits = scores_.data();
  return together;
}

// Softmax of each row, times the weight, into scores_.
void EnsembleSteps::add_probabilities(const StepScores& scores, size_t rows, double weight) {
  for (size_t row = 0; row < rows; ++row) {
    const std::span logits(scores.logits + row * scores.columns, scores.columns);
    const float most = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - most);
    const double scale = weight / sum;
    float* result = scores_.data() + row * scores.columns;
    for (size_t i = 0; i < logits.size(); ++i) {
      result[i] += static_cast<float>(scale * std::exp(logits[i] - most));
    }
  }
}

std::span<const float> EnsembleSteps::attention(size_t row) const {
  attention_.clear();
  for (size_t i = 0; i < models_.size(); ++i) {
    const auto own = models_[i]->attention(row);
    if (i == 0) attention_.resize(own.size());
    for (size_t k = 0; k < own.size(); ++k) {
      attention_[k] += static_cast<float>(weights_[i]) * own[k];
    }
  }
  return attention_;
}

size_t EnsembleSteps::max_target_pieces() const {
  size_t most = models_.front()->max_target_pieces();
  for (const auto& model : models_) most = std::min(most, model->max_target_pieces());
  return most;
}

}  // namespace eatt
