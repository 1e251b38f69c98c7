#include "text/pieces/merge_table.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/text/utf8.h"

namespace eatt {
namespace {

// Numbers the symbols while the table is built.
class Symbols {
 public:
  explicit Symbols(const PieceModel& model)
      : model_(model), next_(static_cast<int32_t>(model.pieces.size())) {}

  // The symbol of a part of a piece; -1 if it is neither a piece nor a single character.
  int32_t find(std::string_view text) {
    const int32_t id = model_.table.find(text);
    if (id >= 0 || utf8_length(text[0]) != text.size()) return id;
    const auto [found, is_new] = others_.try_emplace(text, next_);
    next_ += is_new ? 1 : 0;
    return found->second;
  }

  // Characters that are no pieces.
  const std::unordered_map<std::string_view, int32_t>& others() const { return others_; }

 private:
  const PieceModel& model_;
  int32_t next_;
  std::unordered_map<std::string_view, int32_t> others_;
};

}  // namespace

MergeTable::MergeTable(const PieceModel& model) {
  Symbols symbols(model);
  std::vector<Slot> characters, merges;
  merges.reserve(4 * model.pieces.size());
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const std::string_view text = model.pieces[id].text;
    const size_t first = utf8_length(text[0]);
    if (first == text.size()) {
      characters.push_back({character_key(text), {.id = static_cast<int32_t>(id)}});
    }
    const MergedPiece merged = merge_to(model, static_cast<int32_t>(id));
    if (merged.id < 0) continue;
    for (size_t at = first; at < text.size(); at += utf8_length(text[at])) {
      const int32_t left = symbols.find(text.substr(0, at));
      const int32_t right = left < 0 ? -1 : symbols.find(text.substr(at));
      if (right >= 0) merges.push_back({pair_key(left, right), merged});
    }
  }
  for (const auto& [text, symbol] : symbols.others()) {
    characters.push_back({character_key(text), {.id = symbol}});
  }
  characters_ = filled(characters);
  merges_ = filled(merges);
  filter_.resize(std::max(merges_.size() / 8, size_t{1}));
  for (const Slot& merge : merges) {
    const size_t bit = filter_bit(merge.key);
    filter_[bit / 64] |= uint64_t{1} << bit % 64;
  }
}

MergeTable::Slots MergeTable::filled(const std::vector<Slot>& entries) {
  Slots slots(std::bit_ceil(2 * entries.size() + 1));
  for (const Slot& entry : entries) slots[position(slots, entry.key)] = entry;
  return slots;
}

}  // namespace eatt
