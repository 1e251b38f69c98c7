#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "evaluation/alignments.h"
#include "training/validation/validation.h"

namespace eatt {

// The cross-attention that a word alignment is read from.
struct AlignmentSource {
  size_t layer = 1;  // From 1.
  size_t head = 0;   // From 1; 0 is the mean of all heads.
  // Row of a target word: 0 where the word is predicted, 1 one step later, where it is read.
  size_t shift = 0;

  bool operator==(const AlignmentSource&) const = default;
};
std::string print_alignment_source(const AlignmentSource& source);

// Text with hand-made alignment links.
struct GoldText {
  TextPair text;
  std::filesystem::path links;
};

struct AlignmentRequest {
  std::filesystem::path bundle;
  TextPair text;
  std::optional<GoldText> choose_on;  // The source with the lowest error here is used,
  AlignmentSource source;             // or, without gold links, this one.
};

struct WordAlignment {
  AlignmentSource source;
  std::optional<double> error_rate;  // On the gold links, where there are any.
  evaluation::Alignments links;      // Per sentence.
};

// Links between white-space words of given translations, by forced decoding: each target word is
// linked to the source word with the most attention, summed over both words' pieces; to none if
// the end marker gets more. Throws a UsageError if the model has no such layer or head.
WordAlignment align_words(const AlignmentRequest& request);

}  // namespace eatt
