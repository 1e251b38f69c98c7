#include "cli/help/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text_layout.h"
#include "cli/help/train_commands.h"

namespace eatt::cli {
namespace {

struct GroupNames {
  std::string_view title;
  std::vector<std::string_view> commands;  // Of a command with commands, all of them are shown.
};

const std::vector<GroupNames>& groups() {
  static const std::vector<GroupNames> table = {
      {"Prepare", {"corpus", "distill"}},
      {"Train", {"train", "average", "check"}},
      {"Translate", {"translate", "serve", "align", "detect"}},
      {"Measure", {"evaluate", "validate", "inspect", "energy", "study", "report"}},
      {"Ship", {"export", "quantize", "shortlist", "selftest"}},
      {"Help", {"help", "completion", "man"}},
  };
  return table;
}

bool is_in_a_group(std::string_view command) {
  return std::ranges::any_of(groups(), [&](const GroupNames& group) {
    return std::ranges::find(group.commands, command) != group.commands.end();
  });
}

void add_command(const Command& command, CommandGroup& group) {
  if (command.hidden()) return;
  if (command.commands().empty()) group.commands.push_back(summary_of(command, command.name()));
  for (const auto& below : command.commands()) {
    group.commands.push_back(summary_of(*below, command.name() + " " + below->name()));
  }
}

}  // namespace

std::vector<CommandGroup> command_groups(const Command& eatt) {
  std::vector<CommandGroup> result;
  for (const auto& [title, names] : groups()) {
    CommandGroup& group = result.emplace_back(CommandGroup{std::string(title), {}});
    for (const std::string_view name : names) {
      const auto& foreign = foreign_commands();
      const auto found = std::ranges::find(foreign, name, &CommandSummary::name);
      if (found != foreign.end()) group.commands.push_back(*found);
      if (const Command* command = eatt.find_command(name)) add_command(*command, group);
    }
  }
  CommandGroup others{"Others", {}};
  for (const auto& command : eatt.commands()) {
    if (!is_in_a_group(command->name())) add_command(*command, others);
  }
  if (!others.commands.empty()) result.push_back(std::move(others));
  return result;
}

std::string overview_text(const Command& eatt, const HelpStyle& style) {
  CommandPage page = page_of(eatt);
  page.subcommands.clear();  // The list by groups takes their place.
  const std::string text = help_text(page, style);
  const size_t options = text.find("\n" + heading(kForAllCommands, style));
  const auto list = command_groups(eatt);
  return text.substr(0, options) + "\n" + command_list(list, style) + text.substr(options);
}

}  // namespace eatt::cli
