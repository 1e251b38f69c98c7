#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/word_links.h"

namespace eatt::evaluation {

using eatt::AlignmentLink;
using eatt::AlignmentSyntaxError;
using eatt::format_alignment_line;
using eatt::kMostAlignmentWords;
using eatt::parse_alignment_line;

// The links of each sentence of a text.
struct Alignments {
  std::string name;  // For messages.
  std::vector<std::vector<AlignmentLink>> sentences;
};

// Throws an Error naming file, line and column. An empty line is a sentence without links; an empty
// file is an error.
Alignments read_alignments(const std::filesystem::path& path, uint32_t base);

// Swaps source and target.
void reverse_links(Alignments& alignments);

// Och and Ney's measures over all sentences; A: links of the hypothesis, S: sure links of the gold
// standard, P: its possible links, sure ones included. A link given twice counts once.
struct AlignmentScore {
  uint64_t links = 0;              // |A|
  uint64_t sure = 0;               // |S|
  uint64_t links_in_sure = 0;      // |A ∩ S|
  uint64_t links_in_possible = 0;  // |A ∩ P|

  // Without proposed links precision is 1, without sure links recall is 1, and without both the
  // error rate is 0.
  double precision() const;   // |A ∩ P| / |A|
  double recall() const;      // |A ∩ S| / |S|
  double error_rate() const;  // 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
};

// Throws an Error if the numbers of sentences differ.
AlignmentScore score_alignments(const Alignments& hypothesis, const Alignments& gold);

}  // namespace eatt::evaluation
