#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/shortlist/shortlist.h"
#include "text/lexicon/lexical_model.h"
#include "text/lexicon/piece_pairs.h"
#include "text/pieces/pieces.h"

namespace eatt {

struct ShortlistOptions {
  int first = 100;       // This many of the most frequent target pieces are always allowed.
  int best = 100;        // The most likely target pieces of each source piece,
  double threshold = 0;  // those whose probability is above this.
};

// The lists of these vocabularies. `target_counts` is how often each target piece occurs.
//   always: the end marker, the most frequent pieces, and all bytes and single characters that
//           occur, so that names and numbers can be spelled. Not Chinese characters and the like,
//           of which there are thousands.
//   likely: the best of each source piece, and the target piece with the same text as it, so that
//           names can be copied.
ShortlistContents build_shortlist(const LexicalModel& lexicon,
                                  std::span<const uint64_t> target_counts, const Pieces& source,
                                  const Pieces& target, const ShortlistOptions& options);

// Expected frequency of each target piece if all source pieces were equally frequent: replaces
// counts if there is a lexicon but no text. In millionths.
std::vector<uint64_t> expected_target_counts(const LexicalModel& lexicon, int target_vocab);

// How well a shortlist fits sentence pairs.
struct ShortlistCoverage {
  uint64_t pairs = 0;
  uint64_t target_pieces = 0;  // Without <unk>, which is never generated.
  uint64_t covered = 0;        // Of them, those that are in the shortlist of their source.
  uint64_t covered_pairs = 0;  // Pairs whose pieces are all covered.
  uint64_t sizes = 0;          // Of the pairs' shortlists together.
};
ShortlistCoverage measure_coverage(const Shortlist& shortlist, const PiecePairs& pairs);

}  // namespace eatt
