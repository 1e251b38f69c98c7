#include "text/piece_sampler.h"

#include <algorithm>
#include <string_view>

#include "text/utf8.h"

namespace eatt {
namespace {

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

struct PieceSampler::Symbol {
  int32_t id;  // -1 when merged into its left neighbour.
  int32_t previous;
  int32_t next;  // -1 at the ends.
};

struct PieceSampler::Merge {
  float score;
  int32_t left;  // Positions of the two symbols,
  int32_t right;
  int32_t left_id;  // and what they held when this was noted.
  int32_t right_id;
  int32_t result;

  // For a heap whose top is the best score, the leftmost of equals.
  bool operator<(const Merge& other) const {
    return score < other.score || (score == other.score && left > other.left);
  }
};

PieceSampler::PieceSampler(const Pieces& pieces) : pieces_(pieces) {
  std::unordered_map<std::string_view, int32_t> normal;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    if (pieces.is_normal(id)) normal.emplace(pieces.piece(id), id);
  }
  const auto find = [&](std::string_view text) {
    const auto found = normal.find(text);
    return found == normal.end() ? -1 : found->second;
  };
  for (int32_t id = 0; id < pieces.size(); ++id) {
    starts_.push_back(static_cast<uint32_t>(characters_.size()));
    const std::string_view text = pieces.piece(id);
    bool whole = !pieces.is_normal(id);
    for (size_t at = 0; at < text.size() && !whole; at += utf8_length(text[at])) {
      const int32_t character = find(text.substr(at, utf8_length(text[at])));
      whole = character < 0;
      if (!whole) characters_.push_back(character);
      const int32_t left = at == 0 ? -1 : find(text.substr(0, at));
      const int32_t right = at == 0 ? -1 : find(text.substr(at));
      if (left >= 0 && right >= 0) merges_.emplace(pair_key(left, right), id);
    }
    if (whole) {
      characters_.resize(starts_.back());
      characters_.push_back(id);
    }
  }
  starts_.push_back(static_cast<uint32_t>(characters_.size()));
}

int32_t PieceSampler::merged(int32_t left, int32_t right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? -1 : found->second;
}

std::vector<PieceSampler::Symbol> PieceSampler::take_apart(std::span<const int32_t> ids) const {
  std::vector<Symbol> symbols;
  for (const int32_t id : ids) {
    const auto piece = static_cast<size_t>(id);
    for (uint32_t i = starts_[piece]; i < starts_[piece + 1]; ++i) {
      const auto at = static_cast<int32_t>(symbols.size());
      symbols.push_back({characters_[i], at - 1, at + 1});
    }
  }
  if (!symbols.empty()) symbols.back().next = -1;
  return symbols;
}

std::vector<int32_t> PieceSampler::sample(std::span<const int32_t> ids, double dropout,
                                          Random& random) const {
  std::vector<Symbol> symbols = take_apart(ids);
  std::vector<Merge> heap;
  const auto note = [&](int32_t left, int32_t right) {
    if (left < 0 || right < 0) return;
    const int32_t left_id = symbols[static_cast<size_t>(left)].id;
    const int32_t right_id = symbols[static_cast<size_t>(right)].id;
    const int32_t result = merged(left_id, right_id);
    if (result < 0) return;
    heap.push_back({pieces_.score(result), left, right, left_id, right_id, result});
    std::push_heap(heap.begin(), heap.end());
  };
  for (size_t i = 1; i < symbols.size(); ++i) {
    note(static_cast<int32_t>(i) - 1, static_cast<int32_t>(i));
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Merge merge = heap.back();
    heap.pop_back();
    Symbol& left = symbols[static_cast<size_t>(merge.left)];
    Symbol& right = symbols[static_cast<size_t>(merge.right)];
    if (left.id != merge.left_id || right.id != merge.right_id || left.next != merge.right)
      continue;
    if (dropout > 0 && random.chance(dropout)) continue;
    left.id = merge.result;
    left.next = right.next;
    if (right.next >= 0) symbols[static_cast<size_t>(right.next)].previous = merge.left;
    right.id = -1;
    note(left.previous, merge.left);
    note(merge.left, left.next);
  }
  std::vector<int32_t> sampled;
  for (const Symbol& symbol : symbols) {
    if (symbol.id >= 0) sampled.push_back(symbol.id);
  }
  return sampled;
}

}  // namespace eatt
