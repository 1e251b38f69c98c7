#include "runtime/search/next_pieces.h"

#include <algorithm>
#include <limits>

#include "text/pieces/pieces.h"

namespace eatt {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

double NextPieces::weight(int32_t piece, std::span<const int32_t> used) const {
  if (!needs_used_pieces()) return 1;
  return std::ranges::find(used, piece) == used.end() ? 1 : repetition_penalty_;
}

NextPiece NextPieces::at(const RowScores& row, size_t column, std::span<const int32_t> used) const {
  const int32_t piece = row.piece(column);
  const double log_probability = row.log_probability_at(column);
  return {piece, log_probability, weight(piece, used) * log_probability};
}

NextPiece NextPieces::forced(const RowScores& row, int32_t piece,
                             std::span<const int32_t> used) const {
  const double log_probability = row.forced_log_probability(piece);
  return {piece, log_probability, weight(piece, used) * log_probability};
}

void NextPieces::append_best(const RowScores& row, std::span<const int32_t> used, size_t count,
                             bool may_end, std::vector<NextPiece>& out) {
  const size_t first = row.first_ordinary();
  const auto logits = penalized_logits(row, used).subspan(first);
  count = std::min(count, logits.size());
  best_.resize(count);
  const size_t found = kernels::top_values(logits.data(), logits.size(), count, best_.data());
  for (size_t i = 0; i < found; ++i) {
    out.push_back(at(row, first + static_cast<size_t>(best_[i].index), used));
  }
  if (allow_unknown_) append_marker(row, kUnknownPiece, used, out);
  if (may_end) append_marker(row, kEndPiece, used, out);
}

void NextPieces::append_marker(const RowScores& row, int32_t piece, std::span<const int32_t> used,
                               std::vector<NextPiece>& out) const {
  const size_t column = row.column(piece);
  if (column == row.logits().size() || row.log_probability_at(column) == kNever) return;
  out.push_back(at(row, column, used));
}

// Logits whose differences are those of the gains.
std::span<const float> NextPieces::penalized_logits(const RowScores& row,
                                                    std::span<const int32_t> used) {
  if (!needs_used_pieces() || used.empty()) return row.logits();
  const auto logits = row.logits();
  penalized_.assign(logits.begin(), logits.end());
  for (const int32_t piece : used) {
    const size_t column = row.column(piece);
    if (column == logits.size()) continue;
    penalized_[column] =
        static_cast<float>(static_cast<double>(logits[column]) +
                           (repetition_penalty_ - 1) * row.log_probability_at(column));
  }
  return penalized_;
}

void NextPieces::gains(const RowScores& row, std::span<const int32_t> used, bool may_end,
                       std::vector<float>& out) const {
  row.log_probabilities(out);
  if (needs_used_pieces()) {
    for (const int32_t piece : used) {
      const size_t column = row.column(piece);
      if (column < out.size()) out[column] = static_cast<float>(at(row, column, used).gain);
    }
  }
  for (size_t i = 0; i < row.first_ordinary(); ++i) {
    const int32_t piece = row.piece(i);
    const bool may_come =
        (piece == kUnknownPiece && allow_unknown_) || (piece == kEndPiece && may_end);
    if (!may_come) out[i] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace eatt
