#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/lexicon/lexical_model.h"
#include "text/lexicon/piece_pairs.h"

namespace eatt {

struct LexicalTrainingOptions {
  int source_vocab = 0;  // Pieces of each side.
  int target_vocab = 0;
  int iterations = 5;
  // Most target pieces kept for a source piece, by how closely they are associated. It bounds
  // memory: a table of 8 KB for each source piece, and about as much while it is made.
  size_t max_row = 384;
};

// IBM's Model 1 with a NULL word, by expectation-maximisation from equal probabilities. On all
// threads; the result does not depend on their number. Shows progress.
LexicalModel train_lexical_model(const PiecePairs& pairs, const LexicalTrainingOptions& options);

// How often each target piece occurs, by id.
std::vector<uint64_t> count_target_pieces(const PiecePairs& pairs, int target_vocab);

}  // namespace eatt
