#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluation/banded_edit_distance.h"

namespace eatt::evaluation {

// TER's edits: as long as moving a block of words to where the reference has them lowers the edit
// distance, the best such move is made, at the price of one edit each. Which moves are tried, in
// which order, and when the search gives up is tercom's choice in sacreBLEU's version; it is part
// of the score's definition.
class WordShifts {
 public:
  size_t count_edits(Symbols hypothesis, Symbols reference);

 private:
  struct Block {
    size_t hypothesis_begin;
    size_t reference_begin;
    size_t length;
  };
  struct Shift {
    int32_t gain = 0;  // Edits saved, the move itself not counted.
    Block block{};
    size_t target = 0;  // Hypothesis position in front of which the block is put.
  };

  void find_best_shift(Symbols reference);
  bool is_worth_trying(const Block& block) const;
  void try_block(const Block& block);
  void try_shift(const Shift& shift);
  // Writes the moved words to `words` and returns the stretch that has changed.
  struct Stretch {
    size_t begin, end;
  };
  Stretch apply(const Shift& shift, std::vector<uint32_t>& words) const;

  std::vector<uint32_t> current_;
  std::vector<uint32_t> moved_;
  BandedEditDistance distance_;
  BandedEditDistance::Alignment alignment_;
  Shift best_;
  bool found_ = false;
  int tried_ = 0;
};

}  // namespace eatt::evaluation
