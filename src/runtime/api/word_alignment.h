#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/translator.h"
#include "text/pieces/pieces.h"

namespace eatt {

enum class AlignmentUnits { word, piece };

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

// Words here are what white space separates, the ASCII characters of that name: the tokens of the
// usual tools for alignments, whatever a piece model makes of other spaces.

size_t count_words(std::string_view text);

// Of each piece of decoded text the number of its word; a piece that is nothing but space belongs
// to the word behind it. −1 where there is no word at all.
std::vector<int32_t> words_of_pieces(std::span<const int32_t> ids, const Pieces& pieces);

// The same of text that was encoded: numbers of words of the text as it was given, also where
// normalisation took characters away or made spaces of them.
std::vector<int32_t> words_of_text(std::string_view text, std::span<const int32_t> ids,
                                   const Pieces& pieces);

}  // namespace eatt
