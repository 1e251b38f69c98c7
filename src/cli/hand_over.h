#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt::cli {

// Commands that need libtorch and so belong to the program eatt-train.
bool belongs_to_eatt_train(std::string_view command);

// Throws an Error that says where eatt-train was looked for if it is nowhere: for those who work
// long before they hand over.
void expect_eatt_train(std::string_view command);

// Becomes eatt-train with the same arguments, as git does with its own commands: looks beside this
// program first, then on PATH. Returns only by throwing an Error that says where it looked.
[[noreturn]] void hand_over_to_eatt_train(char** argv);

// Takes away what stands behind `--` on the command lines of `eatt distill` and `eatt energy
// measure`, and the `--`: it is for another program, and CLI11 would read it. Of other commands it
// takes nothing.
std::vector<std::string> take_words_for_another_program(int& argc, char** argv);

}  // namespace eatt::cli
