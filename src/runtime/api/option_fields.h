#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/api/translator.h"

namespace eatt {

// An option by the name that the command line, the C interface and a server share, so that each of
// them has all and none has its own spelling.
template <typename Options>
struct OptionField {
  std::string_view name;         // Without hyphens in front.
  std::string_view value;        // "N", "X"; empty for what is on or off.
  std::string_view description;  // For --help.
  std::variant<bool Options::*, int Options::*, double Options::*, uint64_t Options::*,
               std::string Options::*>
      field;
};

std::span<const OptionField<SearchOptions>> search_fields();
std::span<const OptionField<TranslatorOptions>> translator_fields();

// Sets what `name` stands for, of either struct, from text; of on and off from 1, true, 0, false.
// Throws a UsageError if there is no such option or the value is none for it.
void set_option(std::string_view name, std::string_view value, SearchOptions& search,
                TranslatorOptions& translator);

}  // namespace eatt
