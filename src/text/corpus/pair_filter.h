#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/unicode.h"
#include "text/corpus/pair_problem.h"

namespace eatt {

// Pairs that `eatt corpus prepare` leaves out on request, because they probably are no translations
// of each other, or bring nothing new. Without a request none is.
struct PairFilters {
  uint32_t min_length = 1;          // Pieces of either side.
  std::optional<double> max_ratio;  // Between the pieces of the longer and of the shorter side.
  bool drop_identical = false;      // The same text on both sides, but for white space around it.
  bool drop_duplicates = false;     // The same pair came before, but for white space around it.
  // The script that letters of a side should have, and the share that must have it. A side without
  // letters passes.
  std::optional<Script> source_script, target_script;
  double min_script_share = 0.5;

  // Whether find_filtered() can find anything.
  bool look_at_text() const { return drop_identical || source_script || target_script; }
};

// identical, script or none: what can be told by one pair of valid text. `side` becomes the one at
// fault: 0 source, 1 target.
PairProblem find_filtered(std::string_view source, std::string_view target,
                          const PairFilters& filters, uint8_t& side);

// "Latin", "Han" (with Kana), "Cyrillic", …, in any case; nothing if it is none of script_names().
std::optional<Script> script_from_name(std::string_view name);
std::vector<std::string> script_names();
std::string name_of_script(Script script);

}  // namespace eatt
