#pragma once

#include <string_view>

namespace eatt::cli {

// Commands that need libtorch and so belong to the program eatt-train.
bool belongs_to_eatt_train(std::string_view command);

// Becomes eatt-train with the same arguments, as git does with its own commands: looks beside this
// program first, then on PATH. Returns only by throwing an Error that says where it looked.
[[noreturn]] void hand_over_to_eatt_train(char** argv);

}  // namespace eatt::cli
