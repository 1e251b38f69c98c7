#pragma once

#include <string>
#include <vector>

#include "cli/help/help_text.h"

namespace eatt::cli {

// Every command of eatt and of eatt-train, by what people want to do.
std::vector<CommandGroup> command_groups(const Command& eatt);

// What `eatt` alone shows.
std::string overview_text(const Command& eatt, const HelpStyle& style);

}  // namespace eatt::cli
