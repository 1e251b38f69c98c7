// Help as the terminal shows it.
#pragma once

#include <span>
#include <string>

#include "cli/help/page.h"

namespace eatt::cli {

struct HelpStyle {
  size_t columns = 80;
  bool bold_headings = false;
};

// For standard output: as wide as COLUMNS or the terminal says, but 40 to 100; headings are bold
// only on a terminal, and if NO_COLOR is not set.
HelpStyle help_style();

// All about one command.
std::string help_text(const CommandPage& page, const HelpStyle& style);

struct CommandGroup {
  std::string title;
  std::vector<CommandSummary> commands;
};

// A line and an example of each command.
std::string command_list(std::span<const CommandGroup> groups, const HelpStyle& style);

// "Prepare" as a heading.
std::string heading(std::string_view title, const HelpStyle& style);

}  // namespace eatt::cli
