#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/rows/logits.h"
#include "runtime/api/translator.h"
#include "runtime/search/row_scores.h"

namespace eatt {

// A piece that a hypothesis may grow by.
struct NextPiece {
  int32_t piece = 0;
  double log_probability = 0;
  double gain = 0;  // What it adds to the path: log_probability, with the repetition penalty.
};

// The order of candidates: of equal ones, the lower piece.
inline bool better(const NextPiece& a, const NextPiece& b) {
  return a.gain != b.gain ? a.gain > b.gain : a.piece < b.piece;
}

// Which pieces may come next, and how good they are. Padding and the start marker never may.
class NextPieces {
 public:
  explicit NextPieces(const SearchOptions& options)
      : allow_unknown_(options.allow_unknown), repetition_penalty_(options.repetition_penalty) {}

  bool needs_used_pieces() const { return repetition_penalty_ != 1; }

  // A piece after those in `used`, which are in any order; used is ignored unless needed.
  NextPiece at(const RowScores& row, size_t column, std::span<const int32_t> used) const;
  NextPiece forced(const RowScores& row, int32_t piece, std::span<const int32_t> used) const;

  // Appends, unordered: the `count` best pieces that are no markers, the unknown piece if it is
  // allowed, and the end marker if it may come. None of them is ruled out.
  void append_best(const RowScores& row, std::span<const int32_t> used, size_t count, bool may_end,
                   std::vector<NextPiece>& out);

  // Gains of a row [columns], −∞ for what may not come.
  void gains(const RowScores& row, std::span<const int32_t> used, bool may_end,
             std::vector<float>& out) const;

 private:
  double weight(int32_t piece, std::span<const int32_t> used) const;
  void append_marker(const RowScores& row, int32_t piece, std::span<const int32_t> used,
                     std::vector<NextPiece>& out) const;
  std::span<const float> penalized_logits(const RowScores& row, std::span<const int32_t> used);

  bool allow_unknown_;
  double repetition_penalty_;
  std::vector<float> penalized_;  // [columns]
  std::vector<kernels::TopValue> best_;
};

}  // namespace eatt
