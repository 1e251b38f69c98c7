#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "base/text/utf8.h"
#include "text/pieces/segment.h"

namespace eatt {
namespace {

using Kind = PieceModel::Kind;

}  // namespace

Bpe::Bpe(const PieceModel& model, const PieceTrie& user_defined)
    : model_(model), user_defined_(user_defined) {
  for (const auto& piece : model.pieces) {
    longest_ = std::max(longest_, piece.text.size());
    has_unused_ |= piece.kind == Kind::unused;
  }
}

void Bpe::index_merges() const {
  std::call_once(indexed_, [&] {
    table_ = std::make_unique<const MergeTable>(model_);
    merges_.store(table_.get(), std::memory_order_release);
  });
}

void Bpe::Scratch::start(std::string_view new_text, const MergeTable* table) {
  expects(new_text.size() < std::numeric_limits<int32_t>::max(), "positions fit 32 bits");
  text = new_text;
  merges = table;
  symbols.clear();
  heap.clear();
  unused_splits.clear();
}

void Bpe::Scratch::add(uint32_t size, int32_t symbol) {
  const uint32_t begin = symbols.empty() ? 0 : symbols.back().begin + symbols.back().size;
  const auto index = static_cast<int32_t>(symbols.size());
  if (index > 0) symbols.back().next = index;
  symbols.push_back(
      {.begin = begin, .size = size, .previous = index - 1, .next = -1, .symbol = symbol});
}

void Bpe::segment(std::string_view text, Scratch& scratch, SegmentWriter& writer) const {
  scratch.start(text, merges_.load(std::memory_order_acquire));
  for (std::string_view rest = text; !rest.empty();) {
    const size_t fixed = user_defined_.longest_prefix(rest);
    const size_t size = fixed > 0 ? fixed : front_length(rest);
    scratch.add(static_cast<uint32_t>(size),
                fixed > 0 ? kNeverMerged : character_symbol(scratch, rest.substr(0, size)));
    rest.remove_prefix(size);
  }
  merge(scratch, nullptr);
  for (const auto& [begin, size, previous, next, symbol] : scratch.symbols) {
    if (size == 0) continue;
    const std::string_view part = text.substr(begin, size);
    if (scratch.unused_splits.empty()) {
      writer.add(part, piece_of(symbol, part));
    } else {
      write_text(scratch, part, writer);
    }
  }
}

int32_t Bpe::character_symbol(const Scratch& scratch, std::string_view character) const {
  return scratch.merges != nullptr ? scratch.merges->character(character) : no_id();
}

// Notes the merge of two neighbours, if together they are a piece.
void Bpe::consider(Scratch& scratch, int32_t left, int32_t right) const {
  if (left < 0 || right < 0) return;
  const auto& a = scratch.symbols[static_cast<size_t>(left)];
  const auto& b = scratch.symbols[static_cast<size_t>(right)];
  if (a.symbol == kNeverMerged || b.symbol == kNeverMerged) return;
  const uint32_t size = a.size + b.size;
  MergedPiece merged;
  if (scratch.merges != nullptr) {
    merged = scratch.merges->merge(a.symbol, b.symbol);
  } else if (size <= longest_) {
    merged = merge_to(model_, model_.table.find(scratch.text.substr(a.begin, size)));
  }
  if (merged.id < 0) return;
  if (has_unused_ && model_.pieces[static_cast<size_t>(merged.id)].kind == Kind::unused) {
    scratch.unused_splits[merged.id] = a.size;
  }
  scratch.heap.push_back({.score = merged.score, .left = left, .size = size, .id = merged.id});
  std::push_heap(scratch.heap.begin(), scratch.heap.end());
}

void Bpe::merge(Scratch& scratch, Dropout* dropout) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.heap;
  for (size_t i = 1; i < symbols.size(); ++i) {
    consider(scratch, static_cast<int32_t>(i) - 1, static_cast<int32_t>(i));
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Scratch::Merge best = heap.back();
    heap.pop_back();
    auto& left = symbols[static_cast<size_t>(best.left)];
    // One of the two may have been merged with its other neighbour meanwhile.
    if (left.size == 0 || left.next < 0) continue;
    auto& right = symbols[static_cast<size_t>(left.next)];
    if (left.size + right.size != best.size) continue;
    if (dropout != nullptr && dropout->random.chance(dropout->probability)) continue;
    left.size = best.size;
    left.symbol = best.id;
    left.next = right.next;
    if (right.next >= 0) symbols[static_cast<size_t>(right.next)].previous = best.left;
    right.size = 0;
    consider(scratch, left.previous, best.left);
    consider(scratch, best.left, left.next);
  }
}

// The id to write for a symbol.
int32_t Bpe::piece_of(int32_t symbol, std::string_view text) const {
  return is_piece(symbol) ? symbol : model_.id(text);
}

// Writes a symbol by its text. An unused piece is written as the two it was merged from.
void Bpe::write_text(const Scratch& scratch, std::string_view text, SegmentWriter& writer) const {
  const int32_t id = model_.id(text);
  if (model_.pieces[static_cast<size_t>(id)].kind == Kind::unused) {
    const auto split = scratch.unused_splits.find(id);
    if (split != scratch.unused_splits.end()) {
      write_text(scratch, text.substr(0, split->second), writer);
      write_text(scratch, text.substr(split->second), writer);
      return;
    }
  }
  writer.add(text, id);
}

// Adds the characters of a piece, or the piece as it is if it cannot be taken apart.
void Bpe::add_piece(Scratch& scratch, int32_t id) const {
  const auto& [text, score, kind] = model_.pieces[static_cast<size_t>(id)];
  const size_t before = scratch.symbols.size();
  for (size_t at = 0; at < text.size() && kind == Kind::normal;) {
    const size_t size = front_length(text.substr(at));
    const int32_t symbol = character_symbol(scratch, text.substr(at, size));
    if (!is_piece(symbol) || model_.pieces[static_cast<size_t>(symbol)].kind != Kind::normal) {
      scratch.symbols.resize(before);
      break;
    }
    scratch.add(static_cast<uint32_t>(size), symbol);
    at += size;
  }
  if (scratch.symbols.size() > before) return;
  scratch.add(static_cast<uint32_t>(text.size()), kind == Kind::normal ? id : kNeverMerged);
}

std::vector<int32_t> Bpe::sample(std::span<const int32_t> ids, double dropout,
                                 Random& random) const {
  index_merges();
  std::string text;
  for (const int32_t id : ids) text += model_.pieces[static_cast<size_t>(id)].text;
  Scratch scratch;
  scratch.start(text, table_.get());
  for (const int32_t id : ids) add_piece(scratch, id);
  Dropout leave_out{dropout, random};
  merge(scratch, &leave_out);
  std::vector<int32_t> sampled;
  for (const auto& [begin, size, previous, next, symbol] : scratch.symbols) {
    if (size > 0) sampled.push_back(piece_of(symbol, scratch.text.substr(begin, size)));
  }
  return sampled;
}

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
