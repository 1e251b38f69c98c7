#include "runtime/search/step_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernels/rows/rows.h"
#include "text/pieces/pieces.h"

namespace eatt {
namespace {

constexpr int32_t kLastMarker = std::max({kPadPiece, kUnknownPiece, kStartPiece, kEndPiece});

}  // namespace

size_t marker_columns(size_t columns) {
  return std::min(columns, static_cast<size_t>(kLastMarker) + 1);
}

void StepModel::start(std::span<const std::vector<int32_t>> sources) {
  std::vector<NewSentence> sentences;
  for (const auto& source : sources) {
    sentences.push_back({.sentence = static_cast<int32_t>(sentences.size()), .source = source});
  }
  clear();
  add(sentences);
}

RowScores::RowScores(const StepScores& scores, size_t row) {
  if (scores.best.empty()) {
    read_all(scores.row(row));
  } else {
    read_best(scores.best[row]);
  }
  if (std::isnan(log_sum_) || log_sum_ == std::numeric_limits<float>::infinity()) {
    throw Error(
        "the model computed NaN or infinite scores of pieces; its weights are damaged or its "
        "training diverged: check the bundle, or train again with a lower learning rate");
  }
}

// One row at a time, not the whole step: the row is still in the cache when its best pieces are
// searched for.
void RowScores::read_all(const RowLogits& row) {
  logits_ = row.logits;
  pieces_ = row.pieces;
  columns_ = logits_.size();
  kernels::log_sum_exp_rows(logits_.data(), 1, columns_, &log_sum_);
}

void RowScores::read_best(const BestLogits& row) {
  logits_ = row.markers;
  best_ = row.best;
  columns_ = row.columns;
  log_sum_ = row.log_sum;
}

size_t RowScores::column(int32_t piece) const {
  if (pieces_.empty()) return std::min(static_cast<size_t>(piece), logits_.size());
  const auto found = std::ranges::lower_bound(pieces_, piece);
  if (found == pieces_.end() || *found != piece) return logits_.size();
  return static_cast<size_t>(found - pieces_.begin());
}

size_t RowScores::first_ordinary() const {
  size_t column = 0;
  while (column < logits_.size() && piece(column) <= kLastMarker) ++column;
  return column;
}

double RowScores::log_probability_of(float logit) const {
  if (logit == -std::numeric_limits<float>::infinity()) return logit;
  return std::min(0.0, static_cast<double>(logit) - static_cast<double>(log_sum_));
}

double RowScores::log_probability(int32_t piece) const {
  const size_t found = column(piece);
  return found < logits_.size() ? log_probability_at(found)
                                : -std::numeric_limits<double>::infinity();
}

void RowScores::log_probabilities(std::vector<float>& out) const {
  out.assign(logits_.begin(), logits_.end());
  if (log_sum_ == -std::numeric_limits<float>::infinity()) return;  // All are −∞.
  for (float& value : out) value -= log_sum_;
}

double RowScores::forced_log_probability(int32_t piece) const {
  return std::max(log_probability(piece), kRuledOut);
}

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

void EnsembleModel::add(std::span<const NewSentence> sentences) {
  for (const auto& model : models_) model->add(sentences);
}

void EnsembleModel::remove(int32_t sentence) {
  for (const auto& model : models_) model->remove(sentence);
}

void EnsembleModel::clear() {
  for (const auto& model : models_) model->clear();
}

size_t EnsembleModel::max_target_pieces() const {
  size_t most = std::numeric_limits<size_t>::max();
  for (const auto& model : models_) most = std::min(most, model->max_target_pieces());
  return most;
}

StepScores EnsembleModel::step(std::span<const StepRow> rows) {
  std::vector<StepScores> scores;
  for (const auto& model : models_) scores.push_back(model->step(rows));
  size_t numbers = 0;
  for (size_t row = 0; row < rows.size(); ++row) numbers += scores[0].row(row).logits.size();
  scores_.resize(numbers);
  rows_.clear();
  float* out = scores_.data();
  for (size_t row = 0; row < rows.size(); ++row) {
    const RowLogits first = scores[0].row(row);
    for (const StepScores& other : scores) {
      expects(std::ranges::equal(other.row(row).pieces, first.pieces) &&
                  other.row(row).logits.size() == first.logits.size(),
              "models of an ensemble have the same columns");
    }
    mix_row(scores, row, out);
    rows_.push_back({{out, first.logits.size()}, first.pieces});
    out += first.logits.size();
  }
  mix_attention(rows.size());
  return {.own = rows_};
}

// log Σ weight · softmax(logits) of one row. Throws an Error if there is NaN.
void EnsembleModel::mix_row(std::span<const StepScores> scores, size_t row, float* out) {
  const size_t columns = scores[0].row(row).logits.size();
  probabilities_.resize(columns);
  std::fill_n(out, columns, 0.0f);
  std::vector<RowScores> rows;
  for (size_t m = 0; m < scores.size(); ++m) {
    rows.emplace_back(scores[m], row);
    kernels::softmax_rows(rows[m].logits().data(), 1, columns, probabilities_.data());
    const auto weight = static_cast<float>(weights_[m]);
    for (size_t i = 0; i < columns; ++i) out[i] += weight * probabilities_[i];
  }
  for (size_t i = 0; i < columns; ++i) {
    constexpr float kFaint = 1e-30f;  // Below, floats lose digits.
    out[i] = out[i] > kFaint ? std::log(out[i]) : faint_score(rows, i);
  }
}

// The same for one piece that is too improbable for floats, or ruled out: the largest share, which
// is the sum to within log(number of models).
float EnsembleModel::faint_score(std::span<const RowScores> rows, size_t column) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t m = 0; m < rows.size(); ++m) {
    highest = std::max(highest, rows[m].log_probability_at(column) + std::log(weights_[m]));
  }
  return static_cast<float>(highest);
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
