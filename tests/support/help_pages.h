#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt::testing {

// All commands of `eatt` that its help leads to, as words: {"corpus", "pieces", "train"}. Those of
// eatt-train are among them if that program is built.
std::vector<std::vector<std::string>> command_paths();

// The examples at the end of a command's help, each in one line.
std::vector<std::string> examples_in(std::string_view help);

// Lines of a shell script that make the files which a command reads by "<", with a line of text.
std::string inputs_of(std::string_view command);

}  // namespace eatt::testing
