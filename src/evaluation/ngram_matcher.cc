#include "evaluation/ngram_matcher.h"

#include <algorithm>
#include <bit>

namespace eatt::evaluation {
namespace {

uint64_t make_key(uint32_t prefix, uint32_t symbol) {
  return static_cast<uint64_t>(prefix) << 32 | symbol;
}

uint64_t scatter(uint64_t key) { return (key ^ key >> 29) * 0x9e3779b97f4a7c15; }

}  // namespace

void NgramMatcher::match(Symbols hypothesis, std::span<const Symbols> references,
                         std::span<uint32_t> matches) {
  std::fill(matches.begin(), matches.end(), 0);
  start(hypothesis, references);
  for (uint32_t order = 1; order <= matches.size() && !hypothesis_.empty(); ++order) {
    start_order();
    for (uint32_t r = 0; r < references.size(); ++r) count_reference(r, references[r], order);
    matches[order - 1] = match_hypothesis(hypothesis, order);
    for (size_t r = 0; r < references.size(); ++r) drop_unmatched(references_[r]);
  }
}

void NgramMatcher::start(Symbols hypothesis, std::span<const Symbols> references) {
  const auto all_positions = [](size_t size, std::vector<Position>& positions) {
    positions.resize(size);
    for (uint32_t i = 0; i < size; ++i) positions[i] = {i, 0};
  };
  all_positions(hypothesis.size(), hypothesis_);
  if (references_.size() < references.size()) references_.resize(references.size());
  size_t total = 0;
  for (size_t r = 0; r < references.size(); ++r) {
    all_positions(references[r].size(), references_[r]);
    total += references[r].size();
  }
  // At most half full; small tables stay in the first-level cache, so they shrink again.
  const size_t wanted = std::bit_ceil(std::max<size_t>(64, total * 2));
  if (slots_.size() < wanted) slots_.resize(wanted);
  shift_ = static_cast<uint32_t>(64 - std::countr_zero(wanted));
}

void NgramMatcher::start_order() {
  ngrams_.clear();
  if (++generation_ != 0) return;
  std::fill(slots_.begin(), slots_.end(), Slot{});  // The counter has gone round.
  generation_ = 1;
}

void NgramMatcher::count_reference(uint32_t reference, Symbols symbols, uint32_t order) {
  std::vector<Position>& positions = references_[reference];
  const size_t mask = (size_t{1} << (64 - shift_)) - 1;
  while (!positions.empty() && positions.back().begin + order > symbols.size()) {
    positions.pop_back();
  }
  for (Position& position : positions) {
    const uint64_t key = make_key(position.prefix, symbols[position.begin + order - 1]);
    size_t at = scatter(key) >> shift_;
    while (slots_[at].generation == generation_ && slots_[at].key != key) at = (at + 1) & mask;
    Slot& slot = slots_[at];
    if (slot.generation != generation_) {
      slot = {key, static_cast<uint32_t>(ngrams_.size()), generation_};
      ngrams_.push_back({.reference = reference});
    }
    Ngram& ngram = ngrams_[slot.ngram];
    if (ngram.reference != reference) ngram = {reference, 0, ngram.left, false};
    if (++ngram.count > ngram.left) ngram.left = ngram.count;
    position.prefix = slot.ngram;
  }
}

uint32_t NgramMatcher::match_hypothesis(Symbols symbols, uint32_t order) {
  uint32_t matches = 0;
  size_t kept = 0;
  const size_t mask = (size_t{1} << (64 - shift_)) - 1;
  for (const Position position : hypothesis_) {
    if (position.begin + order > symbols.size()) break;
    const uint64_t key = make_key(position.prefix, symbols[position.begin + order - 1]);
    size_t at = scatter(key) >> shift_;
    while (slots_[at].generation == generation_ && slots_[at].key != key) at = (at + 1) & mask;
    if (slots_[at].generation != generation_) continue;
    Ngram& ngram = ngrams_[slots_[at].ngram];
    ngram.matched = true;
    if (ngram.left > 0) {
      --ngram.left;
      ++matches;
    }
    hypothesis_[kept++] = {position.begin, slots_[at].ngram};
  }
  hypothesis_.resize(kept);
  return matches;
}

void NgramMatcher::drop_unmatched(std::vector<Position>& positions) const {
  std::erase_if(positions, [&](Position position) { return !ngrams_[position.prefix].matched; });
}

}  // namespace eatt::evaluation
