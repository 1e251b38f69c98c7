#include "runtime/search/step_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/rows/logits.h"
#include "text/pieces/pieces.h"

namespace eatt {

namespace {

constexpr int32_t kLastMarker = std::max({kPadPiece, kUnknownPiece, kStartPiece, kEndPiece});

}  // namespace

// One row at a time, not the whole step: the row is still in the cache when its best pieces are
// searched for.
RowScores::RowScores(const StepScores& scores, size_t row)
    : logits_(scores.row(row).logits), pieces_(scores.row(row).pieces) {
  kernels::log_sum_exp_rows(logits_.data(), 1, logits_.size(), &log_sum_);
  if (std::isnan(log_sum_) || log_sum_ == std::numeric_limits<float>::infinity()) {
    throw Error(
        "the model computed NaN or infinite scores of pieces; its weights are damaged or its "
        "training diverged: check the bundle, or train again with a lower learning rate");
  }
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

double RowScores::log_probability_at(size_t column) const {
  if (logits_[column] == -std::numeric_limits<float>::infinity()) return logits_[column];
  return std::min(0.0, static_cast<double>(logits_[column]) - static_cast<double>(log_sum_));
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

}  // namespace eatt
