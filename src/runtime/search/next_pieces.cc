#include "runtime/search/next_pieces.h"

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "kernels/rows/rows.h"
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
  if (row.knows_all()) {
    find_best(row, used, count, out);
  } else {
    for (const kernels::TopValue& best : row.best().first(std::min(count, row.best().size()))) {
      const double log_probability = row.log_probability_of(best.value);
      out.push_back({best.index, log_probability, log_probability});
    }
  }
  if (allow_unknown_) append_marker(row, kUnknownPiece, used, out);
  if (may_end) append_marker(row, kEndPiece, used, out);
}

void NextPieces::find_best(const RowScores& row, std::span<const int32_t> used, size_t count,
                           std::vector<NextPiece>& out) {
  const size_t first = row.first_ordinary();
  const auto logits = penalized_logits(row, used).subspan(first);
  count = std::min(count, logits.size());
  best_.resize(count);
  const size_t found = kernels::top_values(logits.data(), logits.size(), count, best_.data());
  for (size_t i = 0; i < found; ++i) {
    out.push_back(at(row, first + static_cast<size_t>(best_[i].index), used));
  }
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

namespace {

constexpr size_t kBlock = 512;  // The running sum skips blocks of this many probabilities.
constexpr size_t kFew =
    64;  // One pass finds up to this many; its cost is quadratic in their number.

// The order of columns: among equally probable ones the lower first.
bool comes_before(const kernels::TopValue& a, const kernels::TopValue& b) {
  return a.value != b.value ? a.value > b.value : a.index < b.index;
}

double sum_of(std::span<const float> values) {
  double sums[8] = {};  // Several, so that additions do not wait for each other.
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) sums[lane] += static_cast<double>(values[i + lane]);
  }
  for (; i < values.size(); ++i) sums[0] += static_cast<double>(values[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double sum_of(std::span<const kernels::TopValue> values) {
  double sum = 0;
  for (const auto& value : values) sum += static_cast<double>(value.value);
  return sum;
}

// Sets those after `last` to 0.
void clear_after(const kernels::TopValue& last, std::span<float> probabilities) {
  for (size_t i = 0; i < probabilities.size(); ++i) {
    if (comes_before(last, {probabilities[i], static_cast<int32_t>(i)})) probabilities[i] = 0;
  }
}

// Where the running sum of weights exceeds `target`; if rounding keeps it below, the last one with
// a weight above 0.
size_t where_sum_exceeds(double target, std::span<const float> weights) {
  size_t last = 0;
  double sum = 0;
  for (size_t begin = 0; begin < weights.size(); begin += kBlock) {
    const auto block = weights.subspan(begin, std::min(kBlock, weights.size() - begin));
    const double whole = sum_of(block);
    if (sum + whole <= target && begin + kBlock < weights.size()) {
      sum += whole;
      continue;
    }
    for (size_t i = begin; i < begin + block.size(); ++i) {
      if (weights[i] == 0) continue;
      last = i;
      sum += static_cast<double>(weights[i]);
      if (sum > target) return i;
    }
  }
  return last;
}

}  // namespace

std::optional<size_t> Sampler::draw(std::span<float> gains, double uniform) {
  if (temperature_ != 1) {
    constexpr double kColdest = 1e-6;  // Practically greedy; below, floats would overflow.
    constexpr double kHottest = 1e6;   // Practically uniform; above, 0 · −∞ would give NaN.
    const auto factor = static_cast<float>(1 / std::clamp(temperature_, kColdest, kHottest));
    for (float& gain : gains) gain *= factor;
  }
  kernels::softmax_rows(gains.data(), 1, gains.size(), gains.data());
  const std::span<float> probabilities = gains;  // Of what may come; 0 for what may not.
  if (top_k_ > 0) keep_top_k(probabilities);
  if (top_p_ < 1) keep_nucleus(probabilities);
  const double total = sum_of(probabilities);
  if (total == 0) return std::nullopt;
  return where_sum_exceeds(uniform * total, probabilities);
}

void Sampler::keep_top_k(std::span<float> probabilities) {
  take_best(probabilities, top_k_);
  if (!best_.empty()) clear_after(best_.back(), probabilities);
}

void Sampler::keep_nucleus(std::span<float> probabilities) {
  const double enough = top_p_ * sum_of(probabilities);
  take_best(probabilities, kFew);
  if (sum_of(best_) < enough) take_all(probabilities);
  const size_t count = count_that_reaches(enough);
  if (count > 0) clear_after(best_[count - 1], probabilities);
}

void Sampler::take_best(std::span<const float> probabilities, size_t count) {
  count = std::min(count, probabilities.size());
  if (count > kFew) {
    take_all(probabilities);
    count = std::min(count, best_.size());
    if (count == 0) return;
    std::nth_element(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                     best_.end(), comes_before);
    best_.resize(count);
    return;
  }
  best_.resize(count);
  best_.resize(
      kernels::top_values(probabilities.data(), probabilities.size(), count, best_.data()));
}

void Sampler::take_all(std::span<const float> probabilities) {
  best_.clear();
  for (size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0) best_.push_back({probabilities[i], static_cast<int32_t>(i)});
  }
}

// The number of best values needed for this sum, at least one; puts the last of them in its place.
// Halves the range in question each time, so that a wide nucleus is never sorted.
size_t Sampler::count_that_reaches(double sum) {
  size_t taken = 0, end = best_.size();  // The answer is above `taken`, and `end` at most.
  while (end - taken > 1) {
    const size_t middle = taken + (end - taken) / 2;
    const auto at = [&](size_t i) { return best_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(taken), at(middle - 1), at(end), comes_before);
    const double half = sum_of(std::span<const kernels::TopValue>(at(taken), at(middle)));
    if (half < sum) {
      sum -= half;
      taken = middle;
    } else {
      end = middle;
    }
  }
  return end;
}

double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step) {
  const uint64_t of_sentence = Random::stream(seed, sentence).next();
  const uint64_t of_hypothesis = Random::stream(of_sentence, hypothesis).next();
  return Random::stream(of_hypothesis, step).uniform();
}

}  // namespace eatt
