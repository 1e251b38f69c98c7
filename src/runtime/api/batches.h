#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/api/translator.h"

namespace eatt {

struct BatchLimits {
  size_t words = 1024;    // Pieces in a batch; a longer sentence is a batch of its own.
  size_t sentences = 32;  // And the most sentences.
  size_t workers = 1;     // Threads: batches are small enough for each to get one.
};

// Indices of `lengths` as batches: sentences of similar length together, the longest first, so that
// what is left for the end is short. Sentences without pieces are in none. The same lengths give
// the same batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits);

// A sentence of a text, or a part of one that was too long, translated.
struct TranslatedPart {
  Translation translation;
  size_t first_word = 0;   // The white-space word of the whole text in which it begins.
  bool after_tab = false;  // Whether a tab separates it from the part before.
};

// The translation of the whole text: the best hypotheses of the parts are joined to one, the second
// best to the next, and so on (a part that has fewer gives its last). Texts are joined with a
// space, or the tab that was there, and without any after Chinese and Japanese. Scores and
// log-probabilities are added up.
Translation join_translations(std::span<TranslatedPart> parts);

}  // namespace eatt
