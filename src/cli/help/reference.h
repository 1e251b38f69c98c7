// The commands `completion` and `man`, which write what other tools read about all commands.
#pragma once

#include <string>
#include <vector>

#include "cli/help/help_text.h"
#include "cli/help/page.h"

namespace eatt::cli {

// Of `eatt` and of what it hands over to. Runs eatt-train and eatt-serve if they are there, since
// only they know their options.
std::vector<CommandPage> every_page(const Command& eatt);

// Hidden, for every_page().
void add_describe_command(Command& program, const std::vector<CommandSummary>& commands);

// Scripts for the shells, from all pages.
std::string bash_completion(const std::vector<CommandPage>& pages);
std::string zsh_completion(const std::vector<CommandPage>& pages);

// A page in troff, for man(1). `groups` are its commands, where it has some; of `names`, those of
// all pages ("eatt-corpus"), it refers to the related ones.
std::string man_page(const CommandPage& page, const std::vector<CommandGroup>& groups,
                     const std::vector<std::string>& names);

}  // namespace eatt::cli
