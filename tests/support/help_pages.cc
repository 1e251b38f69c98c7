#include "support/help_pages.h"

#include <filesystem>
#include <sstream>

#include "support/files.h"
#include "support/run.h"

namespace eatt::testing {
namespace {

using Words = std::vector<std::string>;

Words split_words(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The lines below headings that list commands: two spaces, a name, two spaces or more.
std::vector<Words> listed_commands(const std::string& help) {
  std::vector<Words> commands;
  for (const std::string& line : split_lines(help)) {
    if (line.starts_with("For all commands:")) break;
    if (!line.starts_with("  ") || line[2] == ' ' || line[2] == '-') continue;
    commands.push_back(split_words(line.substr(2, line.find("  ", 2) - 2)));
  }
  return commands;
}

// Adds the command and, if its help lists commands, those below it.
void add_command(const Words& command, std::vector<Words>& paths) {
  paths.push_back(command);
  Words words = command;
  words.emplace_back("--help");
  const std::string help = run("eatt", words).out;
  if (help.find(" COMMAND [OPTIONS]\n") == std::string::npos) return;
  for (const Words& below : listed_commands(help)) {
    Words path = command;
    path.insert(path.end(), below.begin(), below.end());
    add_command(path, paths);
  }
}

}  // namespace

std::vector<Words> command_paths() {
  const bool trains = std::filesystem::exists(program_path("eatt-train"));
  std::vector<Words> paths;
  for (const Words& command : listed_commands(run("eatt", {}).out)) {
    const std::string& name = command.front();
    const bool is_foreign = name == "train" || name == "average" || name == "validate" ||
                            name == "align" || name == "export" || name == "check";
    if (trains || !is_foreign) add_command(command, paths);
  }
  return paths;
}

std::vector<std::string> examples_in(std::string_view help) {
  std::vector<std::string> examples;
  bool among_examples = false, goes_on = false;
  for (const std::string& line : split_lines(help)) {
    if (line == "Example:" || line == "Examples:") {
      among_examples = true;
    } else if (among_examples) {
      std::string text = line.substr(line.find_first_not_of(' '));
      if (!goes_on) examples.emplace_back();
      goes_on = text.ends_with('\\');
      if (goes_on) text.pop_back();
      examples.back() += text;
    }
  }
  return examples;
}

std::string inputs_of(std::string_view command) {
  std::string script;
  const Words words = split_words(std::string(command));
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "<") script += "echo 'A line of text .' > '" + words[i + 1] + "'\n";
  }
  return script;
}

}  // namespace eatt::testing
