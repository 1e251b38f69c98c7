#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace eatt {

class JsonNode;

// Why a sentence pair is not used. The order is that of the checks: a pair with several problems
// counts under the first.
enum class PairProblem : uint8_t {
  none,
  columns,    // A TSV line without exactly one tab, or without the columns asked for.
  long_line,  // More bytes than allowed.
  nul_byte,   // Most often a damaged file, or UTF-16.
  invalid_utf8,
  empty,        // Nothing, or only white space, on one side or both.
  identical,    // Both sides are the same text. From here on: what filters look for.
  script,       // Too few letters of the script that a side should be written in.
  duplicate,    // The same pair came before.
  no_pieces,    // Only characters that normalization removes.
  many_pieces,  // More pieces than allowed.
  few_pieces,   // Fewer pieces than wanted.
  ratio,        // One side has too many times as many pieces as the other.
};
inline constexpr size_t kPairProblems = 13;

// "invalid UTF-8" and so on, for tables and messages.
std::string_view description(PairProblem problem);

// What is wrong with the text itself: nul_byte, invalid_utf8, empty or none.
PairProblem find_text_problem(std::string_view source, std::string_view target);

// The side that find_text_problem() objected to: 0 source, 1 target.
int side_at_fault(PairProblem problem, std::string_view source);

// How often each problem was met, and where first.
struct ProblemCounts {
  struct Entry {
    uint64_t count = 0;
    std::string first_file;
    uint64_t first_line = 0;  // In that file; the first is 1.
    std::string detail;       // Of the first, e.g. "3 columns"; may be empty.
  };
  std::array<Entry, kPairProblems> entries;

  Entry& operator[](PairProblem problem) { return entries[static_cast<size_t>(problem)]; }
  const Entry& operator[](PairProblem problem) const {
    return entries[static_cast<size_t>(problem)];
  }
  uint64_t total() const;
  // Those of damaged text alone, without what filters and lengths leave out.
  ProblemCounts bad_lines() const;
  // Adds counts of text that comes later.
  void add(const ProblemCounts& later);
  // "12 pairs with invalid UTF-8 (first: train.en, line 17)", a clause per problem.
  std::string text() const;
};

// As JSON, only what was met: {"invalid_utf8": {"count": 12, "file": "train.en", "line": 17}, …}.
nlohmann::ordered_json problems_to_json(const ProblemCounts& problems);
ProblemCounts problems_from_json(const JsonNode& node);

}  // namespace eatt
