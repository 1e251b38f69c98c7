#include "text/corpus/pair_filter.h"

#include <algorithm>
#include <array>

#include "base/text/utf8.h"

namespace eatt {
namespace {

struct NamedScript {
  std::string_view name;  // As in the Unicode standard.
  char32_t letter;        // One of it: script_of() numbers the scripts that have no name there.
};

constexpr std::array kScripts = {
    NamedScript{"Latin", U'a'},           NamedScript{"Greek", U'\u03b1'},
    NamedScript{"Cyrillic", U'\u0430'},   NamedScript{"Armenian", U'\u0561'},
    NamedScript{"Hebrew", U'\u05d0'},     NamedScript{"Arabic", U'\u0627'},
    NamedScript{"Hangul", U'\uac00'},     NamedScript{"Han", U'\u4e00'},
    NamedScript{"Devanagari", U'\u0905'}, NamedScript{"Bengali", U'\u0985'},
    NamedScript{"Gurmukhi", U'\u0a05'},   NamedScript{"Gujarati", U'\u0a85'},
    NamedScript{"Tamil", U'\u0b85'},      NamedScript{"Telugu", U'\u0c05'},
    NamedScript{"Kannada", U'\u0c85'},    NamedScript{"Malayalam", U'\u0d05'},
    NamedScript{"Sinhala", U'\u0d85'},    NamedScript{"Thai", U'\u0e01'},
    NamedScript{"Lao", U'\u0e81'},        NamedScript{"Georgian", U'\u10d0'},
    NamedScript{"Khmer", U'\u1780'},
};

// Whether enough of the letters are of the script. Marks go with the letter before them and are
// not counted, as digits and punctuation are not.
bool is_written_in(std::string_view text, Script wanted, double min_share) {
  size_t letters = 0, of_script = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    at += character.size;
    const Script script = script_of(character.code);
    if (script == Script::any || script == Script::common) continue;
    ++letters;
    if (script == wanted) ++of_script;
  }
  return static_cast<double>(of_script) >= min_share * static_cast<double>(letters);
}

}  // namespace

PairProblem find_filtered(std::string_view source, std::string_view target,
                          const PairFilters& filters, uint8_t& side) {
  side = 0;
  if (filters.drop_identical && strip(source) == strip(target)) return PairProblem::identical;
  const auto lacks = [&](std::string_view text, const std::optional<Script>& wanted) {
    return wanted && !is_written_in(text, *wanted, filters.min_script_share);
  };
  if (lacks(source, filters.source_script)) return PairProblem::script;
  if (!lacks(target, filters.target_script)) return PairProblem::none;
  side = 1;
  return PairProblem::script;
}

std::optional<Script> script_from_name(std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto found = std::ranges::find_if(
      kScripts, [&](const NamedScript& known) { return lower_case(known.name) == wanted; });
  if (found == kScripts.end()) return std::nullopt;
  return script_of(found->letter);
}

std::vector<std::string> script_names() {
  std::vector<std::string> names;
  for (const NamedScript& known : kScripts) names.emplace_back(known.name);
  return names;
}

std::string name_of_script(Script script) {
  const auto found = std::ranges::find_if(
      kScripts, [&](const NamedScript& known) { return script_of(known.letter) == script; });
  return std::string(found == kScripts.end() ? "unknown" : found->name);
}

}  // namespace eatt
