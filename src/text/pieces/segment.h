#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "text/pieces/piece_index.h"
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
  using PieceKind = PieceModel::Kind;
  if (id < 0) return {};
  const auto& piece = model.pieces[static_cast<size_t>(id)];
  const bool is_result = piece.kind == PieceKind::normal || piece.kind == PieceKind::user_defined ||
                         piece.kind == PieceKind::unused;
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

// Takes the pieces of a text in order and appends their ids. What is unknown becomes its bytes if
// the model has pieces for them; else unknown pieces in a row become one.
class SegmentWriter {
 public:
  // `bytes` are the ids of the 256 byte pieces, or empty.
  SegmentWriter(std::span<const int32_t> bytes, std::vector<int32_t>& ids)
      : bytes_(bytes), ids_(ids) {}

  void add(std::string_view text, int32_t id) {
    const bool is_unknown = id == kUnknownPiece;
    if (is_unknown && !bytes_.empty()) {
      for (const char byte : text) ids_.push_back(bytes_[static_cast<unsigned char>(byte)]);
    } else if (!is_unknown || !after_unknown_) {
      ids_.push_back(id);
    }
    after_unknown_ = is_unknown;
  }

 private:
  std::span<const int32_t> bytes_;
  std::vector<int32_t>& ids_;
  bool after_unknown_ = false;
};

// The bytes of the character at the front of `text`, which is not empty. Normalisation rules of
// others may produce invalid UTF-8: a byte that begins no character then counts as one.
inline size_t front_length(std::string_view text) {
  constexpr std::string_view kLengths = "\1\1\1\1\1\1\1\1\1\1\1\1\2\2\3\4";
  const auto length = static_cast<size_t>(kLengths[static_cast<unsigned char>(text[0]) >> 4]);
  return length < text.size() ? length : text.size();
}

// Byte pair encoding: neighbouring symbols are merged, the pair with the best score first and the
// leftmost of equals, until no two neighbours form a piece. Time is n log n. Tables only; one
// object serves many threads.
//
// Merges are found by the text of the two symbols, which needs nothing but the model, or by a table
// of all merges, which makes encoding nearly twice as fast but takes milliseconds to build.
class Bpe {
 public:
  // Buffers of segment(), for reuse. One per thread.
  struct Scratch;

  // The model and the trie of its user-defined symbols must outlive it.
  Bpe(const PieceModel& model, const PieceTrie& user_defined);

  // Builds the table of merges unless it is there, for the calls of segment() that follow. Worth it
  // for a corpus, not for a sentence.
  void index_merges() const;

  // Cuts normalised text into pieces.
  void segment(std::string_view text, Scratch& scratch, SegmentWriter& writer) const;

  // BPE-dropout: takes the pieces apart into characters and merges them again, but leaves out each
  // merge with probability `dropout`. 0 gives the pieces back, 1 gives characters. Unknown pieces,
  // markers, bytes and user-defined symbols stay as they are.
  std::vector<int32_t> sample(std::span<const int32_t> ids, double dropout, Random& random) const;

 private:
  struct Dropout {
    double probability = 0;
    Random& random;
  };

  // A symbol is the id of a piece, kNeverMerged, or a number from no_id() on: then it is a
  // character that is no piece, or that was not looked up. See MergeTable.
  static constexpr int32_t kNeverMerged = -1;
  int32_t no_id() const { return static_cast<int32_t>(model_.pieces.size()); }
  bool is_piece(int32_t symbol) const { return symbol >= 0 && symbol < no_id(); }

  int32_t character_symbol(const Scratch& scratch, std::string_view character) const;
  void add_piece(Scratch& scratch, int32_t id) const;
  void consider(Scratch& scratch, int32_t left, int32_t right) const;
  void merge(Scratch& scratch, Dropout* dropout) const;
  int32_t piece_of(int32_t symbol, std::string_view text) const;
  void write_text(const Scratch& scratch, std::string_view text, SegmentWriter& writer) const;

  const PieceModel& model_;
  const PieceTrie& user_defined_;
  size_t longest_ = 0;       // Bytes of the longest piece.
  bool has_unused_ = false;  // Whether the model has unused pieces.
  mutable std::once_flag indexed_;
  mutable std::unique_ptr<const MergeTable> table_;
  mutable std::atomic<const MergeTable*> merges_ = nullptr;  // Null before index_merges().
};

struct Bpe::Scratch {
  struct Symbol {
    uint32_t begin;  // In `text`.
    uint32_t size;   // 0 when merged into its left neighbour.
    int32_t previous;
    int32_t next;    // -1 at the ends.
    int32_t symbol;  // Mostly the id of a piece, see above.
  };
  struct Merge {
    float score;
    int32_t left;   // Position of the left one of the two symbols,
    uint32_t size;  // the size of both when this was noted,
    int32_t id;     // and the piece they become.
    // For a heap whose top is the best score, the leftmost of equals.
    bool operator<(const Merge& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };

  void start(std::string_view new_text, const MergeTable* table);
  void add(uint32_t size, int32_t symbol);  // The next `size` bytes of the text.

  std::string_view text;
  const MergeTable* merges = nullptr;  // Null: merges are found by their text.
  std::vector<Symbol> symbols;
  std::vector<Merge> heap;
  // Merges may pass through unused pieces, which are then taken apart again: the bytes of the left
  // part, by the id of the piece.
  std::unordered_map<int32_t, uint32_t> unused_splits;
};

// Unigram segmentation: of all ways to cut a text into pieces, the one with the best sum of scores.
// Time is linear. Tables only; one object serves many threads.
class Unigram {
 public:
  // The best way to cut the text up to a byte: the piece that ends there, and where it begins.
  struct Best {
    int32_t id = -1;
    float score = 0;
    int32_t begin = -1;  // -1: no piece ends here.
  };
  // Buffers of segment(), for reuse. One per thread.
  struct Scratch {
    std::vector<Best> best;
    std::vector<int32_t> ends;
  };

  explicit Unigram(const PieceModel& model);  // Must outlive it.

  // Cuts normalised text into pieces.
  void segment(std::string_view text, Scratch& scratch, SegmentWriter& writer) const;

 private:
  void extend(std::string_view text, size_t begin, std::vector<Best>& best) const;

  const PieceModel& model_;
  PieceTrie trie_;
  float unknown_score_ = 0;
  float highest_score_ = 0;
};

// Pieces as text, before denormalisation: control pieces vanish, space marks become spaces (but for
// the one in front), byte pieces become the characters they spell, or U+FFFD.
std::string join_pieces(const PieceModel& model, const std::vector<std::string_view>& pieces);

}  // namespace eatt
