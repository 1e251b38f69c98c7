// Any line is either links that are the same after printing and parsing, or an Error.
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "evaluation/alignments.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace eatt::evaluation;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  for (const uint32_t base : {0u, 1u}) {
    try {
      const auto links = parse_alignment_line(line, base);
      if (parse_alignment_line(format_alignment_line(links)) != links) std::abort();
    } catch (const AlignmentSyntaxError& error) {
      if (error.column() < 1 || error.column() > size + 1) std::abort();
    }
  }
  return 0;
}
