#include "runtime/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernels/softmax_rows.h"
#include "runtime/row_scores.h"

namespace eatt {
EnsembleModel::EnsembleModel(std::vector<std::unique_ptr<StepModel>> models,
                             std::vector<double> weights)
    : models_(std::move(models)), weights_(std::move(weights)) {
  expects(!models_.empty() && models_.size() == weights_.size(), "a weight for each model");
  for (const auto& model : models_) {
    expects(model->vocab() == models_[0]->vocab(), "models of an ensemble share a vocabulary");
  }
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight /= sum;
}

void EnsembleModel::start(std::span<const std::vector<int32_t>> sources) {
  for (const auto& model : models_) model->start(sources);
}

size_t EnsembleModel::max_target_pieces() const {
  size_t most = std::numeric_limits<size_t>::max();
  for (const auto& model : models_) most = std::min(most, model->max_target_pieces());
  return most;
}

StepScores EnsembleModel::step(std::span<const StepRow> rows) {
  std::vector<StepScores> scores;
  for (const auto& model : models_) {
    scores.push_back(model->step(rows));
    expects(std::ranges::equal(scores.back().pieces, scores[0].pieces) &&
                scores.back().columns == scores[0].columns,
            "models of an ensemble have the same columns");
  }
  const size_t columns = scores[0].columns;
  scores_.resize(rows.size() * columns);
  for (size_t row = 0; row < rows.size(); ++row) mix_row(scores, row, &scores_[row * columns]);
  mix_attention(rows.size());
  return {scores_.data(), columns, scores[0].pieces};
}

// log Σ weight · softmax(logits) of one row.
void EnsembleModel::mix_row(std::span<const StepScores> scores, size_t row, float* out) {
  const size_t columns = scores[0].columns;
  probabilities_.resize(columns);
  std::fill_n(out, columns, 0.0f);
  for (size_t m = 0; m < scores.size(); ++m) {
    kernels::softmax_rows(scores[m].logits + row * columns, 1, columns, probabilities_.data());
    const auto weight = static_cast<float>(weights_[m]);
    for (size_t i = 0; i < columns; ++i) out[i] += weight * probabilities_[i];
  }
  std::vector<RowScores> rows;
  for (const StepScores& model_scores : scores) rows.emplace_back(model_scores, row);
  for (size_t i = 0; i < columns; ++i) {
    // Below, floats lose digits. The best model's share is then what counts, to within a log 2 for
    // each other model, of pieces that nobody would choose.
    constexpr float kFaint = 1e-30f;
    if (out[i] > kFaint) {
      out[i] = std::log(out[i]);
      continue;
    }
    double highest = -std::numeric_limits<double>::infinity();
    for (size_t m = 0; m < rows.size(); ++m) {
      highest = std::max(highest, rows[m].log_probability_at(i) + std::log(weights_[m]));
    }
    out[i] = static_cast<float>(highest);
  }
}

void EnsembleModel::mix_attention(size_t rows) {
  attention_.assign(rows, {});
  for (size_t row = 0; row < rows; ++row) {
    for (size_t m = 0; m < models_.size(); ++m) {
      const auto attention = models_[m]->attention(row);
      if (attention.empty()) {
        attention_[row].clear();
        break;
      }
      attention_[row].resize(attention.size());
      const auto weight = static_cast<float>(weights_[m]);
      for (size_t i = 0; i < attention.size(); ++i) attention_[row][i] += weight * attention[i];
    }
  }
}

std::span<const float> EnsembleModel::attention(size_t row) const { return attention_[row]; }

}  // namespace eatt
