#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace eatt {

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

}  // namespace eatt
