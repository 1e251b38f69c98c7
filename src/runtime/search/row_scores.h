#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/search/step_model.h"

namespace eatt {

// What a forced piece counts that the model rules out: nothing has a lower log-probability, and
// hypotheses that share the piece can still be compared, which −∞ would prevent.
inline constexpr double kRuledOut = -1e4;

// One row of a step's scores as log-probabilities.
class RowScores {
 public:
  // Throws an Error if the model computed what is no number.
  RowScores(const StepScores& scores, size_t row);

  std::span<const float> logits() const { return logits_; }  // [columns]
  int32_t piece(size_t column) const {
    return pieces_.empty() ? static_cast<int32_t>(column) : pieces_[column];
  }
  // The column of a piece; the number of columns if it has none.
  size_t column(int32_t piece) const;
  // Pieces stand in ascending order, the markers first: the first column of all others.
  size_t first_ordinary() const;

  // Never above 0; −∞ if the row rules it out.
  double log_probability_at(size_t column) const;
  double log_probability(int32_t piece) const;
  // Of all columns, as floats.
  void log_probabilities(std::vector<float>& out) const;
  // Of a piece, but kRuledOut at least.
  double forced_log_probability(int32_t piece) const;

 private:
  std::span<const float> logits_;
  std::span<const int32_t> pieces_;
  float log_sum_ = 0;
};

}  // namespace eatt
