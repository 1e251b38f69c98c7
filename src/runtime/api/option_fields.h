#pragma once

#include <string_view>

#include "base/options.h"
#include "runtime/api/translator.h"

namespace eatt {

// Names, ranges and help of all options of search and of a translator: the names of
// `eatt translate --help`, on the command line and in the C interface.
const OptionTable<SearchOptions>& search_fields();
const OptionTable<TranslatorOptions>& translator_fields();

// Sets the option of that name, of either struct; a switch is 1, true, 0 or false. Throws a
// UsageError if there is no such option or its value is wrong.
void set_option(std::string_view name, std::string_view value, SearchOptions& search,
                TranslatorOptions& translator);

// Throws a UsageError for values out of range and for options that exclude each other.
void check_search_options(const SearchOptions& options);

}  // namespace eatt
