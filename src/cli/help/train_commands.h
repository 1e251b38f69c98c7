#pragma once

#include <string_view>
#include <vector>

#include "cli/help/page.h"

namespace eatt::cli {

// The commands of eatt-train. eatt hands over to them and shows them in its help, but does not link
// what they are made of.
const std::vector<CommandSummary>& train_commands();

bool belongs_to_eatt_train(std::string_view command);

// Adds the command of that name, with the table's description and example.
Command& add_train_table_command(Command& program, std::string_view name);

}  // namespace eatt::cli
