#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/piece_trie.h"
#include "text/pieces/segment.h"

namespace eatt {

// Byte pair encoding: neighbouring symbols are merged, the pair with the best score first and the
// leftmost of equals, until no two neighbours form a piece. Time is n log n. Tables only; one
// object serves many threads.
class Bpe {
 public:
  // Buffers of segment(), for reuse. One per thread.
  struct Scratch;

  // The model and the trie of its user-defined symbols must outlive it.
  Bpe(const PieceModel& model, const PieceTrie& user_defined);

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

  void add_symbol(Scratch& scratch, uint32_t size, bool is_fixed) const;
  void add_piece(Scratch& scratch, int32_t id) const;
  void consider(Scratch& scratch, int32_t left, int32_t right) const;
  void merge(Scratch& scratch, Dropout* dropout) const;
  void write(const Scratch& scratch, std::string_view text, SegmentWriter& writer) const;

  const PieceModel& model_;
  const PieceTrie& user_defined_;
  size_t longest_ = 0;  // Bytes of the longest piece.
};

struct Bpe::Scratch {
  struct Symbol {
    uint32_t begin;  // In `text`.
    uint32_t size;   // 0 when merged into its left neighbour.
    int32_t previous;
    int32_t next;   // -1 at the ends.
    bool is_fixed;  // Never merged.
  };
  struct Merge {
    float score;
    int32_t left;  // Positions of the two symbols,
    int32_t right;
    uint32_t size;  // and their size together when this was noted.
    // For a heap whose top is the best score, the leftmost of equals.
    bool operator<(const Merge& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };
  std::string_view text;
  std::vector<Symbol> symbols;
  std::vector<Merge> heap;
  // How pieces came about that merges pass through but that are not to be used: the bytes of the
  // left part, for an unused piece.
  std::unordered_map<int32_t, uint32_t> unused_splits;
};

}  // namespace eatt
