// What help, completion and man pages show of a command: plain data, which one program can hand to
// another.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command.h"

namespace eatt::cli {

struct OptionPage {
  std::vector<std::string> names;  // Empty for an argument without a name.
  std::string value;               // "FILE", "text|json", "SRC TGT"; empty for a flag.
  std::string help;                // Ends with "[default: 4]" if there is a default.
  std::string heading;
  std::vector<std::string> choices;
  bool is_list = false;  // Of words; "a,b,c" explains itself.
};

// A line about a command in a list of commands.
struct CommandSummary {
  std::string name;  // "prepare" within `eatt corpus`, "corpus prepare" in the overview.
  std::string description;
  std::string example;  // The first one, in one line.
};

struct CommandPage {
  std::string path;  // "eatt corpus prepare"
  std::string summary;
  std::string usage;                  // One line.
  std::vector<std::string> notes;     // Paragraphs.
  std::vector<std::string> examples;  // Each as it is typed, in one line.
  std::vector<OptionPage> options;    // In the order of their headings.
  std::vector<CommandSummary> subcommands;
};

inline constexpr char kForAllCommands[] = "For all commands";

CommandPage page_of(const Command& command);
CommandSummary summary_of(const Command& command, std::string name);
// The page of the command and those of all below it that are not hidden.
std::vector<CommandPage> pages_of(const Command& command);

// Between programs.
nlohmann::json to_json(const std::vector<CommandPage>& pages);
std::vector<CommandPage> pages_from_json(const nlohmann::json& json);

}  // namespace eatt::cli
