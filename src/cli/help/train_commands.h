#pragma once

#include <string_view>
#include <vector>

#include "cli/help/page.h"

namespace eatt::cli {

// The commands of eatt-train and eatt-serve. eatt hands over to them and shows them in its help,
// but does not link what they are made of.
const std::vector<CommandSummary>& train_commands();
const std::vector<CommandSummary>& serve_commands();
// All of them.
const std::vector<CommandSummary>& foreign_commands();

bool belongs_to_eatt_train(std::string_view command);

// Adds the command of that name, with the table's description and example.
Command& add_foreign_command(Command& program, std::string_view name);

}  // namespace eatt::cli
