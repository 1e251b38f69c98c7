#include <algorithm>
#include <limits>

#include "base/error.h"
#include "text/pieces/segment.h"

namespace eatt {
namespace {

using Kind = PieceModel::Kind;

}  // namespace

Bpe::Bpe(const PieceModel& model, const PieceTrie& user_defined)
    : model_(model), user_defined_(user_defined) {
  for (const auto& piece : model.pieces) longest_ = std::max(longest_, piece.text.size());
}

void Bpe::segment(std::string_view text, Scratch& scratch, SegmentWriter& writer) const {
  expects(text.size() < std::numeric_limits<int32_t>::max(), "positions fit 32 bits");
  scratch.text = text;
  scratch.symbols.clear();
  for (std::string_view rest = text; !rest.empty();) {
    const size_t fixed = user_defined_.longest_prefix(rest);
    const size_t size = fixed > 0 ? fixed : front_length(rest);
    add_symbol(scratch, static_cast<uint32_t>(size), fixed > 0);
    rest.remove_prefix(size);
  }
  merge(scratch, nullptr);
  for (const auto& symbol : scratch.symbols) {
    if (symbol.size > 0) write(scratch, text.substr(symbol.begin, symbol.size), writer);
  }
}

// Appends a symbol of the next `size` bytes of the text.
void Bpe::add_symbol(Scratch& scratch, uint32_t size, bool is_fixed) const {
  auto& symbols = scratch.symbols;
  const uint32_t begin = symbols.empty() ? 0 : symbols.back().begin + symbols.back().size;
  const auto index = static_cast<int32_t>(symbols.size());
  if (index > 0) symbols.back().next = index;
  symbols.push_back(
      {.begin = begin, .size = size, .previous = index - 1, .next = -1, .is_fixed = is_fixed});
}

// Notes the merge of two neighbours, if together they are a piece.
void Bpe::consider(Scratch& scratch, int32_t left, int32_t right) const {
  if (left < 0 || right < 0) return;
  const auto& a = scratch.symbols[static_cast<size_t>(left)];
  const auto& b = scratch.symbols[static_cast<size_t>(right)];
  const uint32_t size = a.size + b.size;
  if (a.is_fixed || b.is_fixed || size > longest_) return;
  const int32_t id = model_.table.find(scratch.text.substr(a.begin, size));
  if (id < 0) return;
  const PieceModel::Piece& piece = model_.pieces[static_cast<size_t>(id)];
  if (piece.kind == Kind::unused) {
    scratch.unused_splits[id] = a.size;
  } else if (piece.kind != Kind::normal && piece.kind != Kind::user_defined) {
    return;
  }
  scratch.heap.push_back({.score = piece.score, .left = left, .right = right, .size = size});
  std::push_heap(scratch.heap.begin(), scratch.heap.end());
}

void Bpe::merge(Scratch& scratch, Dropout* dropout) const {
  auto& symbols = scratch.symbols;
  auto& heap = scratch.heap;
  heap.clear();
  scratch.unused_splits.clear();
  for (size_t i = 1; i < symbols.size(); ++i) {
    consider(scratch, static_cast<int32_t>(i) - 1, static_cast<int32_t>(i));
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Scratch::Merge best = heap.back();
    heap.pop_back();
    auto& left = symbols[static_cast<size_t>(best.left)];
    auto& right = symbols[static_cast<size_t>(best.right)];
    // One of the two may have been merged with its other neighbour meanwhile.
    if (left.size == 0 || right.size == 0 || left.size + right.size != best.size) continue;
    if (dropout != nullptr && dropout->random.chance(dropout->probability)) continue;
    left.size = best.size;
    left.next = right.next;
    if (right.next >= 0) symbols[static_cast<size_t>(right.next)].previous = best.left;
    right.size = 0;
    consider(scratch, left.previous, best.left);
    consider(scratch, best.left, left.next);
  }
}

// Writes one symbol. An unused piece is written as the two it was merged from.
void Bpe::write(const Scratch& scratch, std::string_view text, SegmentWriter& writer) const {
  const int32_t id = model_.id(text);
  if (model_.pieces[static_cast<size_t>(id)].kind == Kind::unused) {
    const auto split = scratch.unused_splits.find(id);
    if (split != scratch.unused_splits.end()) {
      write(scratch, text.substr(0, split->second), writer);
      write(scratch, text.substr(split->second), writer);
      return;
    }
  }
  writer.add(text, id);
}

// Adds the characters of a piece, or the piece as it is if it cannot be taken apart.
void Bpe::add_piece(Scratch& scratch, int32_t id) const {
  const auto& [text, score, kind] = model_.pieces[static_cast<size_t>(id)];
  const auto is_normal = [&](std::string_view character) {
    const int32_t found = model_.table.find(character);
    return found >= 0 && model_.pieces[static_cast<size_t>(found)].kind == Kind::normal;
  };
  const size_t before = scratch.symbols.size();
  for (size_t at = 0; at < text.size() && kind == Kind::normal;) {
    const size_t size = front_length(text.substr(at));
    if (!is_normal(text.substr(at, size))) {
      scratch.symbols.resize(before);
      break;
    }
    add_symbol(scratch, static_cast<uint32_t>(size), false);
    at += size;
  }
  if (scratch.symbols.size() > before) return;
  add_symbol(scratch, static_cast<uint32_t>(text.size()), kind != Kind::normal);
}

std::vector<int32_t> Bpe::sample(std::span<const int32_t> ids, double dropout,
                                 Random& random) const {
  Scratch scratch;
  std::string text;
  for (const int32_t id : ids) {
    text += model_.pieces[static_cast<size_t>(id)].text;
    add_piece(scratch, id);
  }
  scratch.text = text;
  Dropout leave_out{dropout, random};
  merge(scratch, &leave_out);
  std::vector<int32_t> sampled;
  for (const auto& symbol : scratch.symbols) {
    if (symbol.size > 0)
      sampled.push_back(model_.id(scratch.text.substr(symbol.begin, symbol.size)));
  }
  return sampled;
}

}  // namespace eatt
