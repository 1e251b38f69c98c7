#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/metric.h"
#include "evaluation/ngram_matcher.h"

namespace eatt::evaluation {

// Edit distance between a hypothesis and a reference, looked for near the diagonal only: at
// hypothesis position i, reference positions up to 25 away from i · |reference| / |hypothesis|
// (further if the lengths differ wildly). This is tercom's beam as sacreBLEU defines it; for
// distances up to 24 it finds the true distance.
//
// TER needs the distance of many re-orderings of one hypothesis, each of which differs from it in
// one range of words. So fill() keeps the cost of every cell from the beginning and to the end, and
// distance_if() computes only the rows of that range. Memory: two cells per hypothesis word and
// column of the band.
class BandedEditDistance {
 public:
  // Neither may be empty. `reference` must not move.
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

// TER's edits: while moving a block of words to its place in the reference lowers the edit
// distance, the best such move is made, at a cost of one edit each. Which moves are tried, in which
// order, and when the search stops follows tercom in sacreBLEU's version; this is part of the
// definition of the score.
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
  // Writes the moved words to `words` and returns the range that has changed.
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

struct TerOptions {
  bool normalized = false;      // Split off punctuation, as tercom -N; references twice, as
                                // sacreBLEU does.
  bool no_punctuation = false;  // Remove punctuation, as tercom -P.
  bool asian_support = false;   // The same for Asian punctuation; normalized: every Chinese
                                // character alone.
  bool case_sensitive = false;
};

// Appends the words of `line` as tercom would see them. They point into `line` or into `scratch`,
// which is overwritten.
void split_for_ter(const TerOptions& options, std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& words);

// Translation edit rate: insertions, deletions, replacements and moved blocks per reference word.
// Statistics per line: fewest edits over the references, mean length of the references.
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}

  std::string_view key() const override { return "ter"; }
  std::string name() const override { return "TER"; }
  size_t width() const override { return 2; }
  std::unique_ptr<LineScorer> make_line_scorer() const override;
  double score(std::span<const double> sums) const override;
  std::string signature(size_t references,
                        const std::optional<Resampling>& resampling = {}) const override;

 private:
  TerOptions options_;
};

}  // namespace eatt::evaluation
