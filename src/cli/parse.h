// Reads a command line into the options of a command.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace eatt::cli {

// Sorts `arguments` (those after the command's name) to the options of `command` and of its
// program, checks that what is required, needed or excluded agrees, and reads the values: first
// those of the program's options, then `before_values` is called, then the command's. Throws a
// UsageError of one sentence that points to the command's help.
//   --name value, --name=value, -n value, -nvalue; a lone "-" and negative numbers are values;
//   what follows a lone "--" is never an option.
void parse_options(const Command& command, const std::vector<std::string>& arguments,
                   const std::function<void()>& before_values);

// Whether a word of the command line stands for an option and not for a value.
bool looks_like_option(std::string_view word);

// "; see `eatt translate --help`", the end of messages about wrong usage.
std::string see_help(const Command& command);

}  // namespace eatt::cli
