#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "text/pieces/pieces.h"

namespace eatt {

// Byte pair encoding itself: characters are merged in the order of the vocabulary, best score
// first, until nothing can be merged. Tables only; one merger serves many threads.
class PieceMerger {
 public:
  // Buffers of merge(), for reuse. One per thread.
  struct Scratch;

  explicit PieceMerger(const Pieces& pieces);

  // `ids` are characters (or whatever pieces); they are replaced by what they merge to. With
  // `random`, each merge is left out with probability `dropout`.
  void merge(std::vector<int32_t>& ids, Scratch& scratch, double dropout = 0,
             Random* random = nullptr) const;

  // The characters of a piece; itself if it is a marker, a byte, unknown or cannot be taken apart.
  std::span<const int32_t> characters(int32_t id) const;

 private:
  struct Rule {
    uint64_t key = 0;  // left id << 32 | right id; 0 is free, as markers are never merged.
    float score = 0;
    int32_t result = 0;
  };

  const Rule* find(int32_t left, int32_t right) const;
  void add(int32_t left, int32_t right, int32_t result, float score);
  void note(Scratch& scratch, int32_t left, int32_t right) const;

  std::vector<Rule> rules_;           // Open addressing; at most half full.
  std::vector<int32_t> characters_;   // Of all pieces, one after another,
  std::vector<uint32_t> first_char_;  // those of piece i from first_char_[i] to the next.
};

struct PieceMerger::Scratch {
  struct Symbol {
    int32_t id;  // -1 when merged into its left neighbour.
    int32_t previous;
    int32_t next;  // -1 at the ends.
  };
  struct Merge {
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
  std::vector<Symbol> symbols;
  std::vector<Merge> heap;
};

}  // namespace eatt
