#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace eatt::energy {

// Codes that were made in one place. A call makes those of all rows that pass a layer together.
struct CodeActivity {
  uint64_t rows = 0;
  uint64_t ones = 0;      // Of signed codes, the ones of all binary digits.
  uint64_t distinct = 0;  // Features that are not zero in some row of a call, summed over calls:
                          // the rows of weights that have to be read.

  CodeActivity& operator+=(const CodeActivity& other);
  friend bool operator==(const CodeActivity&, const CodeActivity&) = default;
};

// What a search did with the scores of pieces.
struct SearchActivity {
  uint64_t rows = 0;
  uint64_t columns = 0;      // Scores of pieces, over all rows.
  uint64_t candidates = 0;   // Continuations that were considered.
  uint64_t comparisons = 0;  // To find the best pieces of rows, growths of sentences, and results.
  uint64_t ended = 0;        // Hypotheses that got their final score.
  // Positions of each sentence's best hypothesis, its end marker counted; their squares; and times
  // the positions of the source: the lengths that closed forms take.
  uint64_t best_rows = 0;
  uint64_t best_pairs = 0;
  uint64_t best_cross_pairs = 0;
  bool divides = false;       // A final score is divided by a length penalty,
  bool weighs_words = false;  // or has a word penalty.

  SearchActivity& operator+=(const SearchActivity& other);
  friend bool operator==(const SearchActivity&, const SearchActivity&) = default;
};

// What happened while a text was translated: all that the operations of any model of the same
// numbers of layers depend on. A row is a position of a sentence (encoder) or of a hypothesis
// (decoder); a pair is a row and a position it attends to. A runtime fills it; it can also be
// written by hand, for a length that was not translated.
struct Activity {
  // The source.
  uint64_t sentences = 0;
  uint64_t batches = 0;  // The encoder's weights pass once for each.
  uint64_t source_rows = 0;
  uint64_t source_pairs = 0;

  // The decoder.
  uint64_t steps = 0;  // Its weights pass once for each.
  uint64_t rows = 0;
  uint64_t self_pairs = 0;
  uint64_t cross_pairs = 0;
  uint64_t columns = 0;           // Of the vocabulary, or of a row's shortlist, over all rows.
  uint64_t distinct_columns = 0;  // Those that some row of a step needs, summed over steps.

  // By layer; empty where no layer binarises.
  std::vector<CodeActivity> encoder_self, decoder_self, cross_query;
  CodeActivity cross_key;  // Of the encoder's output, once for all layers.

  SearchActivity search;

  // The most at any time, for the sizes of memory that are needed.
  uint64_t most_source_rows = 0;
  uint64_t longest_source = 0;
  uint64_t most_rows = 0;
  uint64_t most_columns = 0;
  uint64_t most_cached_rows = 0;  // Positions of hypotheses.

  // Of another text, or another thread's part of the same.
  Activity& operator+=(const Activity& other);
  friend bool operator==(const Activity&, const Activity&) = default;
};

// For what is kept as the most at any time.
inline void raise(uint64_t& most, uint64_t value) { most = std::max(most, value); }

// Comparisons to find the `wanted` best of `count` in order, by a knockout: the winner of all, and
// then for each next one the matches that the last winner had won.
uint64_t knockout_comparisons(uint64_t count, uint64_t wanted);

}  // namespace eatt::energy
