#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/pieces/piece_model.h"
#include "text/pieces/piece_trie.h"
#include "text/pieces/segment.h"

namespace eatt {

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

}  // namespace eatt
