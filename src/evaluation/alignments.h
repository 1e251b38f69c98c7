#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace eatt::evaluation {

// A link between a source word and a target word, counted from 0.
struct AlignmentLink {
  uint32_t source = 0;
  uint32_t target = 0;
  bool sure = true;  // i-j; possible links are ipj or i?j.

  bool operator==(const AlignmentLink&) const = default;
};

// What is wrong in a line, and in which column.
class AlignmentSyntaxError : public Error {
 public:
  AlignmentSyntaxError(size_t column, const std::string& what) : Error(what), column_(column) {}
  size_t column() const { return column_; }  // Byte, from 1.

 private:
  size_t column_;
};

// Reads a line of Pharaoh links such as "0-0 1-2 2p3 3?4", in the order in which they are
// written, repetitions included. `base` is the number of the first word in the text, 0 or 1. Throws
// an AlignmentSyntaxError.
std::vector<AlignmentLink> parse_alignment_line(std::string_view line, uint32_t base = 0);

// "0-0 1-2 2p3", counted from 0.
std::string format_alignment_line(const std::vector<AlignmentLink>& links);

// Larger numbers are taken for mistakes: no sentence is that long.
inline constexpr uint32_t kMostAlignmentWords = 1'000'000;

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
