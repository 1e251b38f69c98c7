#include "evaluation/word_shifts.h"

#include <algorithm>
#include <tuple>

namespace eatt::evaluation {
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

// Only blocks with an error on both sides, and not those that stand where they belong.
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
