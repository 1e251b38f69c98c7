#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/rows/rows.h"
#include "runtime/api/translator.h"
#include "runtime/search/step_model.h"

namespace eatt {

// A piece that a hypothesis may grow by.
struct NextPiece {
  int32_t piece = 0;
  double log_probability = 0;
  double gain = 0;  // What it adds to the path: log_probability, with the repetition penalty.
};

// The order of candidates: among equal ones, the lower piece first.
inline bool better(const NextPiece& a, const NextPiece& b) {
  return a.gain != b.gain ? a.gain > b.gain : a.piece < b.piece;
}

// Which pieces may come next, and their scores. Padding and the start marker never may come.
class NextPieces {
 public:
  explicit NextPieces(const SearchOptions& options)
      : allow_unknown_(options.allow_unknown), repetition_penalty_(options.repetition_penalty) {}

  bool needs_used_pieces() const { return repetition_penalty_ != 1; }

  // A piece after those in `used`, which are in any order; used is ignored unless needed.
  NextPiece at(const RowScores& row, size_t column, std::span<const int32_t> used) const;
  NextPiece forced(const RowScores& row, int32_t piece, std::span<const int32_t> used) const;

  // Appends, unordered: the `count` best pieces that are no markers, the unknown piece if it is
  // allowed, and the end marker if it may come. None of them is ruled out. A row that knows only
  // its best columns knows at least `count`, and there is no repetition penalty.
  void append_best(const RowScores& row, std::span<const int32_t> used, size_t count, bool may_end,
                   std::vector<NextPiece>& out);

  // Gains of a row [columns], −∞ for pieces that are not allowed.
  void gains(const RowScores& row, std::span<const int32_t> used, bool may_end,
             std::vector<float>& out) const;

 private:
  double weight(int32_t piece, std::span<const int32_t> used) const;
  void find_best(const RowScores& row, std::span<const int32_t> used, size_t count,
                 std::vector<NextPiece>& out);
  void append_marker(const RowScores& row, int32_t piece, std::span<const int32_t> used,
                     std::vector<NextPiece>& out) const;
  std::span<const float> penalized_logits(const RowScores& row, std::span<const int32_t> used);

  bool allow_unknown_;
  double repetition_penalty_;
  std::vector<float> penalized_;  // [columns]
  std::vector<kernels::TopValue> best_;
};

// Draws pieces instead of taking the best. Gains are divided by the temperature; of the top_k most
// probable pieces, the smallest set that reaches top_p of their sum is kept; one of it is drawn.
class Sampler {
 public:
  explicit Sampler(const SearchOptions& options)
      : temperature_(options.temperature),
        top_k_(static_cast<size_t>(options.top_k)),
        top_p_(options.top_p) {}

  // `gains` [columns] as NextPieces gives them; they are overwritten. The column where `uniform`,
  // a number in [0, 1), falls; nothing if no piece may come.
  std::optional<size_t> draw(std::span<float> gains, double uniform);

 private:
  void keep_top_k(std::span<float> probabilities);
  void keep_nucleus(std::span<float> probabilities);
  void take_best(std::span<const float> probabilities, size_t count);
  void take_all(std::span<const float> probabilities);
  size_t count_that_reaches(double sum);

  double temperature_;
  size_t top_k_;
  double top_p_;
  std::vector<kernels::TopValue> best_;  // The most probable, the last of them last.
};

// The random number of a draw; it depends on these arguments alone.
double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step);

}  // namespace eatt
