#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/files/byte_source.h"
#include "text/lexicon/piece_pairs.h"
#include "text/pieces/pieces.h"

namespace eatt {

// p(target piece | source piece), for the likely target pieces.
class LexicalModel {
 public:
  struct Entry {
    int32_t target = 0;
    float probability = 0;
    bool operator==(const Entry&) const = default;
  };

  // A row for each source piece, in any order.
  explicit LexicalModel(std::vector<std::vector<Entry>> rows);

  size_t source_vocab() const { return rows_.size(); }
  // The most likely first; ties in order of their ids.
  std::span<const Entry> likely(int32_t source) const { return rows_[static_cast<size_t>(source)]; }
  // 0 for a pair that is not listed.
  float probability(int32_t source, int32_t target) const;

 private:
  std::vector<std::vector<Entry>> rows_;
};

// Reads a lexicon as Marian's tools write it (lex.s2t): lines of `target source probability`, with
// pieces as text. Lines with a piece that is not in the vocabulary (or NULL) are skipped with a
// warning. Throws an Error with the line's number for malformed lines, or if no line is left.
LexicalModel read_lexicon(const TextFile& file, const Pieces& source, const Pieces& target);

struct LexicalTrainingOptions {
  int source_vocab = 0;  // Pieces of each side.
  int target_vocab = 0;
  int iterations = 5;
  // Most target pieces kept for a source piece, those with the strongest association. It bounds
  // memory: a table of 8 KB for each source piece, and about as much again while it is built.
  size_t max_row = 384;
};

// IBM Model 1 with a NULL word, by expectation maximisation from equal probabilities. Runs on all
// threads; the result does not depend on their number. Shows progress.
LexicalModel train_lexical_model(const PiecePairs& pairs, const LexicalTrainingOptions& options);

}  // namespace eatt
