#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "evaluation/ter.h"

namespace eatt::evaluation {
namespace {

constexpr double kBeam = 25;
constexpr int32_t kFar = 1 << 29;  // Outside the band; leaves room for additions.

}  // namespace

void BandedEditDistance::start(Symbols reference, size_t hypothesis_size) {
  expects(!reference.empty() && hypothesis_size > 0, "two texts with words");
  expects(reference.size() < kFar / 2 && hypothesis_size < kFar / 2, "lengths that can be counted");
  reference_ = reference;
  const size_t columns = reference.size() + 1;
  const double ratio = static_cast<double>(reference.size()) / static_cast<double>(hypothesis_size);
  const double beam = kBeam < ratio / 2 ? std::ceil(ratio / 2 + kBeam) : kBeam;

  bands_.resize(hypothesis_size + 1);
  for (size_t i = 1; i <= hypothesis_size; ++i) {
    const double diagonal = std::floor(static_cast<double>(i) * ratio);
    bands_[i].begin = diagonal > beam ? static_cast<size_t>(diagonal - beam) : 0;
    bands_[i].end = std::min(columns, static_cast<size_t>(diagonal + beam));
  }
  bands_.back().end = columns;
  // Cells outside the next row's band are dead ends.
  bands_[0] = {0, bands_[1].end};

  size_t widest = bands_[0].end;
  for (size_t i = 1; i <= hypothesis_size; ++i) {
    widest = std::max(widest, bands_[i].end - bands_[i - 1].begin);
  }
  stride_ = widest + 2;  // One more on each side.
  forward_.resize(bands_.size() * stride_);
  backward_.resize(bands_.size() * stride_);
  changed_.resize(2 * stride_);
}

void BandedEditDistance::fill(Symbols hypothesis) {
  const size_t rows = hypothesis.size();
  int32_t* first = forward_.data() + origin(0);
  std::fill(first - 1, first - 1 + stride_, kFar);
  for (size_t j = 0; j < bands_[0].end; ++j) first[j] = static_cast<int32_t>(j);
  for (size_t i = 1; i <= rows; ++i) {
    forward_row(i, hypothesis[i - 1], forward_.data() + origin(i - 1), forward_.data() + origin(i));
  }

  int32_t* last = backward_.data() + origin(rows);
  std::fill(last - 1, last - 1 + stride_, kFar);
  const Band band = bands_[rows];
  for (size_t j = band.begin; j < band.end; ++j) {
    last[j - band.begin] = static_cast<int32_t>(reference_.size() - j);
  }
  for (size_t i = rows; i-- > 0;) {
    backward_row(i, hypothesis[i], backward_.data() + origin(i + 1), backward_.data() + origin(i));
  }
}

int32_t BandedEditDistance::distance_if(Symbols hypothesis, size_t begin, size_t end) {
  if (begin == end) return distance();
  const int32_t* above = forward_.data() + origin(begin);
  int32_t* row = changed_.data() + 1;
  int32_t* other = changed_.data() + stride_ + 1;
  for (size_t i = begin + 1; i <= end; ++i) {
    forward_row(i, hypothesis[i - 1], above, row);
    above = row;
    std::swap(row, other);
  }
  const int32_t* to_end = backward_.data() + origin(end);
  int32_t best = kFar;
  for (size_t k = 0; k < bands_[end].end - bands_[end].begin; ++k) {
    best = std::min(best, above[k] + to_end[k]);
  }
  return best;
}

// cells[k] is column band.begin + k: from above left (keep or replace), above (drop the hypothesis
// word), or left (add the reference word).
void BandedEditDistance::forward_row(size_t row, uint32_t word, const int32_t* above,
                                     int32_t* cells) const {
  const Band band = bands_[row];
  const auto size = static_cast<ptrdiff_t>(band.end - band.begin);
  const uint32_t* reference = reference_.data() + band.begin;
  above += band.begin - bands_[row - 1].begin;
  cells[-1] = kFar;
  int32_t left = kFar;
  ptrdiff_t k = 0;
  if (band.begin == 0) {
    left = cells[0] = above[0] + 1;
    k = 1;
  }
  for (; k < size; ++k) {
    const int32_t kept = above[k - 1] + (reference[k - 1] != word ? 1 : 0);
    left = std::min(std::min(kept, above[k] + 1), left + 1);
    cells[k] = left;
  }
  std::fill(cells + size, cells + stride_ - 1, kFar);
}

// The cost from each cell to the end; `word` is the hypothesis word that leads to the row below.
void BandedEditDistance::backward_row(size_t row, uint32_t word, const int32_t* below,
                                      int32_t* cells) const {
  const Band band = bands_[row];
  const size_t skip = bands_[row + 1].begin - band.begin;  // Columns that the row below lacks.
  cells[-1] = kFar;
  std::fill(cells + (band.end - band.begin), cells + stride_ - 1, kFar);
  int32_t right = kFar;
  for (size_t k = band.end - band.begin; k-- > 0;) {
    int32_t best = right + 1;
    if (k + 1 >= skip) {
      const size_t column = band.begin + k;
      best = std::min(best, k >= skip ? below[k - skip] + 1 : kFar);
      if (column < reference_.size()) {
        best = std::min(best, below[k + 1 - skip] + (reference_[column] != word ? 1 : 0));
      }
    }
    right = cells[k] = best;
  }
}

void BandedEditDistance::align(Symbols hypothesis, Alignment& alignment) const {
  size_t i = hypothesis.size();
  size_t j = reference_.size();
  alignment.hypothesis_of.assign(j, -1);
  alignment.reference_errors.assign(j + 1, 0);
  alignment.hypothesis_errors.assign(i + 1, 0);
  // Among equally cheap edits: keep or replace, then drop, then add.
  while (i > 0 || j > 0) {
    const bool both = i > 0 && j > 0;
    const bool differ = both && hypothesis[i - 1] != reference_[j - 1];
    if (both && forward(i, j) == forward(i - 1, j - 1) + (differ ? 1 : 0)) {
      alignment.hypothesis_errors[i] = alignment.reference_errors[j] = differ ? 1 : 0;
      --i;
      --j;
      alignment.hypothesis_of[j] = static_cast<int32_t>(i);
    } else if (i > 0 && (j == 0 || forward(i, j) == forward(i - 1, j) + 1)) {
      alignment.hypothesis_errors[i] = 1;
      --i;
    } else {
      alignment.reference_errors[j] = 1;
      --j;
      alignment.hypothesis_of[j] = static_cast<int32_t>(i) - 1;
    }
  }
  for (auto* errors : {&alignment.reference_errors, &alignment.hypothesis_errors}) {
    for (size_t k = 1; k < errors->size(); ++k) (*errors)[k] += (*errors)[k - 1];
  }
}

namespace {

constexpr size_t kLongestBlock = 10;   // Words.
constexpr size_t kFarthestBlock = 50;  // Positions between a block and its equal.
constexpr int kMostShifts = 1000;      // Tried per pair of lines.

}  // namespace

size_t WordShifts::count_edits(Symbols hypothesis, Symbols reference) {
  if (reference.empty()) return hypothesis.size();
  if (hypothesis.empty()) return reference.size();
  current_.assign(hypothesis.begin(), hypothesis.end());
  distance_.start(reference, current_.size());
  distance_.fill(current_);
  tried_ = 0;
  size_t shifts = 0;
  for (;;) {
    find_best_shift(reference);
    if (tried_ >= kMostShifts || !found_ || best_.gain <= 0) break;
    apply(best_, moved_);
    current_.swap(moved_);
    distance_.fill(current_);
    ++shifts;
  }
  return shifts + static_cast<size_t>(distance_.distance());
}

void WordShifts::find_best_shift(Symbols reference) {
  found_ = false;
  distance_.align(current_, alignment_);
  for (size_t h = 0; h < current_.size(); ++h) {
    const size_t first = h > kFarthestBlock ? h - kFarthestBlock : 0;
    const size_t end = std::min(reference.size(), h + kFarthestBlock + 1);
    for (size_t r = first; r < end; ++r) {
      const size_t longest = std::min({kLongestBlock, current_.size() - h, reference.size() - r});
      for (size_t length = 1; length <= longest; ++length) {
        if (current_[h + length - 1] != reference[r + length - 1]) break;
        try_block({h, r, length});
        if (tried_ >= kMostShifts) return;
      }
    }
  }
}

// Only blocks with an error on both sides, and not those that are already in the right place.
bool WordShifts::is_worth_trying(const Block& block) const {
  const auto errors = [&](const std::vector<uint32_t>& sums, size_t begin) {
    return sums[begin + block.length] - sums[begin];
  };
  if (errors(alignment_.hypothesis_errors, block.hypothesis_begin) == 0) return false;
  if (errors(alignment_.reference_errors, block.reference_begin) == 0) return false;
  const auto begin = static_cast<int32_t>(block.hypothesis_begin);
  const auto end = static_cast<int32_t>(block.hypothesis_begin + block.length);
  const int32_t aligned = alignment_.hypothesis_of[block.reference_begin];
  return aligned < begin || aligned >= end;
}

// Behind the hypothesis word of the reference word before the block, and of each word in it.
void WordShifts::try_block(const Block& block) {
  if (!is_worth_trying(block)) return;
  bool first = true;
  size_t last_target = 0;
  for (size_t offset = 0; offset <= block.length; ++offset) {
    const size_t behind = block.reference_begin + offset;  // Number of reference words before.
    const size_t target =
        behind == 0 ? 0 : static_cast<size_t>(alignment_.hypothesis_of[behind - 1] + 1);
    if (!first && target == last_target) continue;
    first = false;
    last_target = target;
    try_shift({0, block, target});
    ++tried_;
  }
}

void WordShifts::try_shift(const Shift& shift) {
  const Stretch stretch = apply(shift, moved_);
  Shift scored = shift;
  scored.gain = distance_.distance() - distance_.distance_if(moved_, stretch.begin, stretch.end);
  // The largest gain; then the longest block, the earliest one, the earliest target.
  const auto rank = [](const Shift& s) {
    return std::tuple(-s.gain, -static_cast<int64_t>(s.block.length), s.block.hypothesis_begin,
                      s.target);
  };
  if (found_ && rank(best_) <= rank(scored)) return;
  best_ = scored;
  found_ = true;
}

WordShifts::Stretch WordShifts::apply(const Shift& shift, std::vector<uint32_t>& words) const {
  const size_t begin = shift.block.hypothesis_begin;
  const size_t end = begin + shift.block.length;
  // A target inside the block moves it right by as many words, as far as there are any.
  const size_t target = shift.target >= begin && shift.target <= end
                            ? std::min(current_.size(), shift.target + shift.block.length)
                            : shift.target;
  words = current_;
  if (target == end) return {begin, begin};
  const auto at = [&](size_t position) { return words.begin() + static_cast<ptrdiff_t>(position); };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(end));
    return {target, end};
  }
  std::rotate(at(begin), at(end), at(target));
  return {begin, target};
}

}  // namespace eatt::evaluation
