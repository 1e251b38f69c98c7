#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluation/alignments.h"
#include "training/run/bundle_model.h"
#include "training/validation/validation.h"

namespace eatt {

// Which cross-attention a word alignment is read from.
struct AlignmentSource {
  size_t layer = 1;  // From 1.
  size_t head = 0;   // From 1; 0 is the mean of all heads.
  // Row of a target word: 0 where the word is predicted, 1 one step later, where it is read.
  int shift = 0;

  bool operator==(const AlignmentSource&) const = default;
};
std::string print_alignment_source(const AlignmentSource& source);

// Every choice a model has: layers × (heads and their mean) × shifts.
std::vector<AlignmentSource> alignment_sources(const Architecture& architecture);

// Links between white-space words of given translations, by forced decoding: each target word is
// linked to the source word with the most attention, summed over both words' pieces; to none where
// the end marker has more. One result per choice.
std::vector<evaluation::Alignments> align_by_attention(BundleModel& model,
                                                       const ValidationSet& text,
                                                       std::span<const AlignmentSource> sources);

struct ChosenAlignment {
  AlignmentSource source;
  evaluation::AlignmentScore score;
};

// The choice with the lowest error against gold links.
ChosenAlignment choose_alignment(BundleModel& model, const ValidationSet& text,
                                 const evaluation::Alignments& gold);

}  // namespace eatt
