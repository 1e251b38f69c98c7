#include "text/pieces/piece_merger.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

#include "base/text/utf8.h"

namespace eatt {
namespace {

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

size_t hash_pair(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> 24; }

}  // namespace

PieceMerger::PieceMerger(const Pieces& pieces) {
  std::unordered_map<std::string_view, int32_t> normal;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    if (pieces.is_normal(id)) normal.emplace(pieces.piece(id), id);
  }
  const auto id_of = [&](std::string_view text) {
    const auto found = normal.find(text);
    return found == normal.end() ? -1 : found->second;
  };
  struct Found {
    int32_t left, right, result;
  };
  std::vector<Found> merges;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    first_char_.push_back(static_cast<uint32_t>(characters_.size()));
    const std::string_view text = pieces.piece(id);
    bool stays_whole = !pieces.is_normal(id);
    for (size_t at = 0; at < text.size() && !stays_whole; at += utf8_length(text[at])) {
      characters_.push_back(id_of(text.substr(at, utf8_length(text[at]))));
      stays_whole = characters_.back() < 0;
      if (at == 0) continue;
      const int32_t left = id_of(text.substr(0, at)), right = id_of(text.substr(at));
      if (left >= 0 && right >= 0) merges.push_back({left, right, id});
    }
    if (!stays_whole) continue;
    characters_.resize(first_char_.back());
    characters_.push_back(id);
  }
  first_char_.push_back(static_cast<uint32_t>(characters_.size()));
  rules_.resize(std::bit_ceil(2 * merges.size() + 1));
  for (const Found& found : merges) {
    add(found.left, found.right, found.result, pieces.score(found.result));
  }
}

void PieceMerger::add(int32_t left, int32_t right, int32_t result, float score) {
  const uint64_t key = pair_key(left, right);
  size_t slot = hash_pair(key) & (rules_.size() - 1);
  while (rules_[slot].key != 0) slot = (slot + 1) & (rules_.size() - 1);
  rules_[slot] = {key, score, result};
}

const PieceMerger::Rule* PieceMerger::find(int32_t left, int32_t right) const {
  const uint64_t key = pair_key(left, right);
  size_t slot = hash_pair(key) & (rules_.size() - 1);
  while (rules_[slot].key != 0) {
    if (rules_[slot].key == key) return &rules_[slot];
    slot = (slot + 1) & (rules_.size() - 1);
  }
  return nullptr;
}

std::span<const int32_t> PieceMerger::characters(int32_t id) const {
  const auto piece = static_cast<size_t>(id);
  return std::span(characters_)
      .subspan(first_char_[piece], first_char_[piece + 1] - first_char_[piece]);
}

// Puts the merge of two neighbours on the heap, if there is one.
void PieceMerger::note(Scratch& scratch, int32_t left, int32_t right) const {
  if (left < 0 || right < 0) return;
  const int32_t left_id = scratch.symbols[static_cast<size_t>(left)].id;
  const int32_t right_id = scratch.symbols[static_cast<size_t>(right)].id;
  const Rule* rule = find(left_id, right_id);
  if (rule == nullptr) return;
  scratch.heap.push_back({rule->score, left, right, left_id, right_id, rule->result});
  std::push_heap(scratch.heap.begin(), scratch.heap.end());
}

void PieceMerger::merge(std::vector<int32_t>& ids, Scratch& scratch, double dropout,
                        Random* random) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.heap;
  const auto count = static_cast<int32_t>(ids.size());
  symbols.clear();
  heap.clear();
  for (int32_t i = 0; i < count; ++i) {
    symbols.push_back({ids[static_cast<size_t>(i)], i - 1, i + 1 < count ? i + 1 : -1});
  }
  for (int32_t i = 1; i < count; ++i) note(scratch, i - 1, i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Scratch::Merge best = heap.back();
    heap.pop_back();
    auto& left = symbols[static_cast<size_t>(best.left)];
    auto& right = symbols[static_cast<size_t>(best.right)];
    // One of the two may have been merged with its other neighbour meanwhile.
    if (left.id != best.left_id || right.id != best.right_id || left.next != best.right) continue;
    if (random != nullptr && random->chance(dropout)) continue;
    left.id = best.result;
    left.next = right.next;
    if (right.next >= 0) symbols[static_cast<size_t>(right.next)].previous = best.left;
    right.id = -1;
    note(scratch, left.previous, best.left);
    note(scratch, best.left, left.next);
  }
  ids.clear();
  for (const auto& symbol : symbols) {
    if (symbol.id >= 0) ids.push_back(symbol.id);
  }
}

}  // namespace eatt
