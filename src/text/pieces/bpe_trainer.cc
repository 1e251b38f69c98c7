#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

constexpr size_t kMaxPieceCharacters = 16;
// A pair that occurs once teaches nothing, and most pairs do: in Chinese they would take most of
// the memory.
constexpr uint64_t kMinCount = 2;
constexpr int32_t kBreak = BpeTrainer::kUnknown;  // Between words; nothing is merged with it.
constexpr int32_t kMerged = -2;                   // Part of the symbol before.

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}
int32_t left_of(uint64_t key) { return static_cast<int32_t>(key >> 32); }
int32_t right_of(uint64_t key) { return static_cast<int32_t>(key & 0xffffffff); }

}  // namespace

bool BpeTrainer::Candidate::operator<(const Candidate& other) const {
  if (count != other.count) return count < other.count;
  return length != other.length ? length > other.length : key > other.key;
}

BpeTrainer::BpeTrainer(const std::vector<char32_t>& alphabet) : text_(1, kBreak), word_of_(1, 0) {
  for (const char32_t character : alphabet) {
    const bool is_space = character == kSpaceMarkCharacter;
    symbols_.push_back({{character}, is_space ? Script::any : script_of(character)});
    ids_.emplace(symbols_.back().text, static_cast<int32_t>(ids_.size()));
  }
}

void BpeTrainer::add_word(std::span<const int32_t> characters, uint64_t count) {
  const auto word = static_cast<uint32_t>(counts_.size());
  counts_.push_back(count);
  text_.insert(text_.end(), characters.begin(), characters.end());
  text_.push_back(kBreak);
  word_of_.resize(text_.size(), word);
  expects(text_.size() < std::numeric_limits<uint32_t>::max(), "positions fit 32 bits");
}

bool BpeTrainer::may_merge(int32_t left, int32_t right) const {
  if (left < 0 || right < 0) return false;
  const Symbol& a = symbols_[static_cast<size_t>(left)];
  const Symbol& b = symbols_[static_cast<size_t>(right)];
  if (a.text.size() + b.text.size() > kMaxPieceCharacters) return false;
  if (b.text.front() == kSpaceMarkCharacter) return false;
  return a.script == b.script || a.script == Script::any || b.script == Script::any;
}

size_t BpeTrainer::length_of(uint64_t key) const {
  return symbols_[static_cast<size_t>(left_of(key))].text.size() +
         symbols_[static_cast<size_t>(right_of(key))].text.size();
}

// The neighbours of a symbol. Pieces are short, so these loops are short.
uint32_t BpeTrainer::previous(uint32_t position) const {
  do --position;
  while (text_[position] == kMerged);
  return position;
}

uint32_t BpeTrainer::next(uint32_t position) const {
  do ++position;
  while (text_[position] == kMerged);
  return position;
}

void BpeTrainer::count_pair(int32_t left, int32_t right, uint32_t position,
                            std::vector<uint64_t>& grown) {
  if (!may_merge(left, right)) return;
  Pair& pair = pairs_[pair_key(left, right)];
  pair.count += counts_[word_of_[position]];
  pair.positions.push_back(position);
  if (!std::exchange(pair.is_noted, true)) grown.push_back(pair_key(left, right));
}

void BpeTrainer::uncount_pair(int32_t left, int32_t right, uint64_t count) {
  const auto found = pairs_.find(pair_key(left, right));
  if (found != pairs_.end()) found->second.count -= count;
}

void BpeTrainer::push_candidates(const std::vector<uint64_t>& grown) {
  for (const uint64_t key : grown) {
    Pair& pair = pairs_.at(key);
    pair.is_noted = false;
    if (pair.count < kMinCount) {
      pairs_.erase(key);
    } else {
      candidates_.push({pair.count, length_of(key), key});
    }
  }
}

// A count that grows is pushed at once. One that falls is noticed here: a candidate with a stale
// count goes back with its present count.
bool BpeTrainer::pop_best(uint64_t& key) {
  while (!candidates_.empty()) {
    Candidate best = candidates_.top();
    candidates_.pop();
    const auto found = pairs_.find(best.key);
    if (found == pairs_.end()) continue;
    if (found->second.count < kMinCount) {
      pairs_.erase(found);
      continue;
    }
    if (found->second.count == best.count) {
      key = best.key;
      return true;
    }
    if (found->second.count > best.count) continue;  // Pushed when it grew.
    best.count = found->second.count;
    candidates_.push(best);
  }
  return false;
}

// The same piece may arise in two ways: a + aa and aa + a.
int32_t BpeTrainer::find_or_add_symbol(uint64_t key, bool& is_new) {
  const Symbol& left = symbols_[static_cast<size_t>(left_of(key))];
  const Symbol& right = symbols_[static_cast<size_t>(right_of(key))];
  Symbol both{left.text + right.text, left.script == Script::any ? right.script : left.script};
  const auto [entry, added] = ids_.emplace(both.text, static_cast<int32_t>(symbols_.size()));
  if (added) symbols_.push_back(std::move(both));
  is_new = added;
  return entry->second;
}

void BpeTrainer::merge(uint64_t key, int32_t result) {
  const int32_t left = left_of(key), right = right_of(key);
  std::vector<uint32_t> positions = std::move(pairs_[key].positions);
  pairs_.erase(key);
  std::ranges::sort(positions);  // From the left, as encoding does: aaa is aa + a.
  std::vector<uint64_t> grown;
  for (const uint32_t position : positions) {
    if (text_[position] != left) continue;
    const uint32_t other = next(position);
    if (text_[other] != right) continue;
    const uint32_t before = previous(position), after = next(other);
    const uint64_t count = counts_[word_of_[position]];
    uncount_pair(text_[before], left, count);
    uncount_pair(right, text_[after], count);
    text_[position] = result;
    text_[other] = kMerged;
    count_pair(text_[before], result, before, grown);
    count_pair(result, text_[after], position, grown);
  }
  push_candidates(grown);
}

// In two passes, so that positions are kept only for pairs that occur often enough.
void BpeTrainer::count_all_pairs() {
  std::unordered_map<uint64_t, uint64_t> totals;
  for (uint32_t position = 1; position + 1 < text_.size(); ++position) {
    if (!may_merge(text_[position], text_[position + 1])) continue;
    totals[pair_key(text_[position], text_[position + 1])] += counts_[word_of_[position]];
  }
  std::vector<uint64_t> grown;
  for (uint32_t position = 1; position + 1 < text_.size(); ++position) {
    const auto found = totals.find(pair_key(text_[position], text_[position + 1]));
    if (found == totals.end() || found->second < kMinCount) continue;
    count_pair(text_[position], text_[position + 1], position, grown);
  }
  push_candidates(grown);
}

std::vector<std::u32string> BpeTrainer::learn(size_t max_pieces,
                                              const std::function<void(size_t)>& progress) {
  count_all_pairs();
  std::vector<std::u32string> pieces;
  uint64_t key = 0;
  while (pieces.size() < max_pieces && pop_best(key)) {
    bool is_new = false;
    const int32_t result = find_or_add_symbol(key, is_new);
    if (is_new) pieces.push_back(symbols_[static_cast<size_t>(result)].text);
    merge(key, result);
    if (progress && pieces.size() % 64 == 0) progress(pieces.size());
  }
  return pieces;
}

}  // namespace eatt
