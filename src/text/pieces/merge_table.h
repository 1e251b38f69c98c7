#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/pieces/piece_model.h"

namespace eatt {

// What two neighbours are merged to.
struct MergedPiece {
  int32_t id = -1;  // -1: they are not merged.
  float score = 0;
};

// The merge to the piece `id`, which may be -1. Merges lead to pieces that text may consist of, and
// pass through unused ones; markers and bytes are never the result of a merge.
inline MergedPiece merge_to(const PieceModel& model, int32_t id) {
  using Kind = PieceModel::Kind;
  if (id < 0) return {};
  const auto& piece = model.pieces[static_cast<size_t>(id)];
  const bool is_result =
      piece.kind == Kind::normal || piece.kind == Kind::user_defined || piece.kind == Kind::unused;
  return is_result ? MergedPiece{id, piece.score} : MergedPiece{};
}

// All merges of a BPE model, found by the two neighbouring symbols instead of by their text: one
// search for eight bytes. Symbols are numbered: a piece by its id, and a character that is no
// piece, but part of one, by a number after the last id.
//
// SentencePiece merges two symbols if together they read like a piece, however the piece was
// learned. So a piece has a merge for each place where it can be cut into two symbols, and a symbol
// is a piece or a single character.
class MergeTable {
 public:
  explicit MergeTable(const PieceModel& model);

  // The symbol of a character as front_length() cuts it; -1 if nothing can be merged with it and it
  // is no piece.
  int32_t character(std::string_view bytes) const {
    return find(characters_, character_key(bytes)).id;
  }

  MergedPiece merge(int32_t left, int32_t right) const {
    const uint64_t key = pair_key(left, right);
    const size_t bit = filter_bit(key);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return {};
    return find(merges_, key);
  }

 private:
  struct Slot {
    uint64_t key = 0;
    MergedPiece value;  // Free if its id is -1.
  };
  using Slots = std::vector<Slot>;  // A power of two, at most half of them in use.

  static uint64_t pair_key(int32_t left, int32_t right) {
    return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  }
  static uint64_t character_key(std::string_view bytes) {
    uint64_t key = 0;
    for (const char byte : bytes) key = key << 8 | static_cast<unsigned char>(byte);
    return key;
  }
  static uint64_t hash(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> 24; }
  size_t filter_bit(uint64_t key) const { return hash(key) & (64 * filter_.size() - 1); }
  // Where the key is, or the free slot where it would be.
  static size_t position(const Slots& slots, uint64_t key) {
    size_t at = hash(key) & (slots.size() - 1);
    while (slots[at].key != key && slots[at].value.id >= 0) at = (at + 1) & (slots.size() - 1);
    return at;
  }
  static MergedPiece find(const Slots& slots, uint64_t key) {
    return slots[position(slots, key)].value;
  }
  static Slots filled(const std::vector<Slot>& entries);

  Slots characters_;
  Slots merges_;
  // Most neighbours are not merged. A bit for each merge, eight times as many bits as slots, rules
  // out most of them without a look at the slots, and stays in the L1 cache.
  std::vector<uint64_t> filter_;
};

}  // namespace eatt
