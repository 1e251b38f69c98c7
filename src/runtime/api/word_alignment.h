#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bundle/architecture.h"
#include "runtime/api/translator.h"
#include "text/pieces/words.h"

namespace eatt {

enum class AlignmentUnits { word, piece };

// The cross-attention that a word alignment is read from.
struct AlignmentSource {
  size_t layer = 0;  // From 1; 0 is the last, as in translation.
  size_t head = 0;   // From 1; 0 is the mean of all heads.
  // Row of a target word: 0 where the word is predicted, 1 one step later, where it is read.
  size_t shift = 0;

  bool operator==(const AlignmentSource&) const = default;
};
std::string print_alignment_source(const AlignmentSource& source);

// All sources of a model: layers × (the mean of heads, and each of them) × shifts.
std::vector<AlignmentSource> alignment_sources(const Architecture& architecture);

// The source with its layer by number. Throws a UsageError if the model has no such layer or head.
AlignmentSource checked_source(AlignmentSource source, const Architecture& architecture);

// Attention of one target word (or piece) over source words (or pieces), end markers left out: the
// mean over the pieces of the target word, added up over those of a source word.
struct AlignmentRow {
  size_t target = 0;
  size_t first_source = 0;               // The unit of the first probability;
  std::span<const float> probabilities;  // units before and behind have none.
  float end_marker = 0;                  // What the source's end marker got.
};

// Calls use(row) for each target word in order. The hypothesis has attention; memory for one row.
void for_each_alignment_row(const Translation& translation, const Hypothesis& hypothesis,
                            AlignmentUnits units,
                            const std::function<void(const AlignmentRow&)>& use);

// A link between a source and a target unit, counted from 0.
struct WordLink {
  uint32_t source = 0;
  uint32_t target = 0;
  auto operator<=>(const WordLink&) const = default;
};

// Each target unit with the source unit that it looks at most, the first of equals; with none where
// the end marker has more. In order of source, then target.
std::vector<WordLink> hard_alignment(const Translation& translation, const Hypothesis& hypothesis,
                                     AlignmentUnits units);

// All links of at least this probability.
std::vector<WordLink> threshold_alignment(const Translation& translation,
                                          const Hypothesis& hypothesis, AlignmentUnits units,
                                          float least);

// "0-0 1-2", Pharaoh's format.
std::string print_links(std::span<const WordLink> links);

// Log-probability of each white-space word of the translation: of all its pieces together. The end
// marker has none.
std::vector<double> word_scores(const Hypothesis& hypothesis);

}  // namespace eatt
