#include "runtime/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernels/softmax_rows.h"
#include "runtime/row_scores.h"

namespace eatt {
namespace {

void check_vocabularies(std::span<const std::unique_ptr<StepModel>> models) {
  for (size_t i = 1; i < models.size(); ++i) {
    if (models[i]->vocab() == models[0]->vocab()) continue;
    throw UsageError(fmt::format(
        "model {} of the ensemble has {} target pieces, the first has {}; models of an ensemble "
        "share their vocabulary",
        i + 1, models[i]->vocab(), models[0]->vocab()));
  }
}

std::vector<double> relative_weights(std::vector<double> weights, size_t models) {
  if (weights.empty()) weights.assign(models, 1.0);
  if (weights.size() != models) {
    throw UsageError(fmt::format("--weights has {} numbers for {} models; give one for each",
                                 weights.size(), models));
  }
  for (const double weight : weights) {
    if (std::isfinite(weight) && weight > 0) continue;
    throw UsageError(fmt::format("--weights has {}; expected numbers above 0", weight));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

EnsembleModel::EnsembleModel(std::vector<std::unique_ptr<StepModel>> models,
                             std::vector<double> weights)
    : models_(std::move(models)) {
  expects(!models_.empty(), "an ensemble has a model");
  check_vocabularies(models_);
  weights_ = relative_weights(std::move(weights), models_.size());
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
