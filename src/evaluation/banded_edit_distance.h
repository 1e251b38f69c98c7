#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/ngram_matcher.h"

namespace eatt::evaluation {

// Edit distance between a hypothesis and a reference, looked for near the diagonal only: at
// hypothesis position i, reference positions up to 25 away from i · |reference| / |hypothesis|
// (further if the lengths differ wildly). This is tercom's beam as sacreBLEU defines it; for
// distances up to 24 it finds the true distance.
//
// TER asks for the distance of many re-orderings of one hypothesis, each differing from it in one
// stretch only. So fill() keeps the cost of every cell from the beginning and to the end, and
// distance_if() computes just the rows of the stretch. Memory: two cells per hypothesis word and
// column of the band.
class BandedEditDistance {
 public:
  // Neither may be empty. `reference` must stay where it is.
  void start(Symbols reference, size_t hypothesis_size);

  void fill(Symbols hypothesis);

  // Of the hypothesis given to fill().
  int32_t distance() const { return forward(bands_.size() - 1, reference_.size()); }

  // Of a hypothesis that differs from the filled one in words [begin, end) only.
  int32_t distance_if(Symbols hypothesis, size_t begin, size_t end);

  // The cheapest way to make the filled hypothesis out of the reference, word by word.
  struct Alignment {
    std::vector<int32_t> hypothesis_of;  // Per reference word: its hypothesis word, or the last one
                                         // before it; -1 if there is none.
    std::vector<uint32_t> reference_errors;   // Errors in the first 0, 1, 2, … reference words.
    std::vector<uint32_t> hypothesis_errors;  // The same for the hypothesis.
  };
  void align(Symbols hypothesis, Alignment& alignment) const;

 private:
  struct Band {
    size_t begin, end;  // Columns, 0 … |reference|.
  };

  size_t origin(size_t row) const { return row * stride_ + 1; }
  // Row 0 … |hypothesis|, column within or just beside the row's band.
  int32_t forward(size_t row, size_t column) const {
    return forward_[origin(row) + column - bands_[row].begin];
  }
  void forward_row(size_t row, uint32_t word, const int32_t* above, int32_t* cells) const;
  void backward_row(size_t row, uint32_t word, const int32_t* below, int32_t* cells) const;

  Symbols reference_;
  std::vector<Band> bands_;  // Per row.
  size_t stride_ = 0;        // Cells per row; those around the band are kFar.
  std::vector<int32_t> forward_;
  std::vector<int32_t> backward_;
  std::vector<int32_t> changed_;  // Two rows, used in turn.
};

}  // namespace eatt::evaluation
