#include "cli/help/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace eatt::cli {
namespace {

// Hard line breaks are spaces, empty lines separate paragraphs.
std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> result(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      result.back() += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\n') {
      result.emplace_back();
    } else if (!result.back().empty()) {
      result.back() += ' ';
    }
  }
  std::erase(result, "");
  return result;
}

// Each line is an example, unless the one before it ends with a backslash.
std::vector<std::string> examples_in(const std::string& text) {
  std::vector<std::string> examples;
  bool goes_on = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!goes_on) examples.emplace_back();
    goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    examples.back() += line;
  }
  return examples;
}

// "BUNDLE", or "FILE..." of a list.
std::string argument_name(const OptionSpec& argument) {
  const std::string name = argument.name();
  return argument.is_list() && !name.ends_with("...") ? name + "..." : name;
}

OptionPage page_of(const OptionSpec& option) {
  OptionPage page{.names = option.names,
                  .value = option.value,
                  .help = option.help,
                  .heading = option.heading,
                  .choices = option.choices,
                  .is_list = option.is_list() && option.separator == '\0'};
  if (option.is_argument()) {
    page.names.clear();
    page.value = argument_name(option);
    page.heading = "Arguments";
  }
  std::ranges::replace(page.help, '\n', ' ');
  if (option.required && !option.is_argument()) page.help += " (required)";
  if (!option.required && !option.default_value.empty()) {
    page.help += fmt::format(" [default: {}]", option.default_value);
  }
  return page;
}

// An option of the same heading may have been added later.
void sort_by_heading(std::vector<OptionPage>& options) {
  std::vector<std::string> headings = {"Arguments", ""};
  for (const OptionPage& option : options) headings.push_back(option.heading);
  const auto rank = [&](const OptionPage& option) {
    return std::ranges::find(headings, option.heading) - headings.begin();
  };
  std::ranges::stable_sort(options, {}, rank);
}

std::string usage_of(const Command& command) {
  std::string usage = command.path();
  if (!command.commands().empty()) return usage + " COMMAND [OPTIONS]";
  usage += " [OPTIONS]";
  for (const auto& option : command.options()) {
    if (!option->is_argument()) continue;
    const std::string shown = argument_name(*option);
    usage += option->required || option->checked_later ? " " + shown : " [" + shown + "]";
  }
  return command.words_usage().empty() ? usage : usage + " " + command.words_usage();
}

}  // namespace

CommandSummary summary_of(const Command& command, std::string name) {
  const auto examples = examples_in(command.example());
  return {std::move(name), command.description(), examples.empty() ? "" : examples.front()};
}

CommandPage page_of(const Command& command) {
  CommandPage page{.path = command.path(),
                   .summary = command.description(),
                   .usage = usage_of(command),
                   .notes = {},
                   .examples = examples_in(command.example()),
                   .options = {},
                   .subcommands = {}};
  const Command& program = command.program();
  if (&program != &command) {
    for (const auto& option : command.options()) {
      if (!option->hidden) page.options.push_back(page_of(*option));
    }
  }
  const bool has_lists = std::ranges::any_of(page.options, [](const OptionPage& option) {
    return option.is_list && !option.names.empty();
  });
  sort_by_heading(page.options);
  for (const auto& option : program.options()) {
    if (&program != &command && option->name() == "--version") continue;
    page.options.push_back(page_of(*option));
    page.options.back().heading = kForAllCommands;
  }
  for (const std::string& note : command.notes()) {
    for (std::string& paragraph : paragraphs(note)) page.notes.push_back(std::move(paragraph));
  }
  if (has_lists) {
    page.notes.emplace_back(
        "If an option is given twice, the last one counts; the values of lists (...) add up.");
  }
  for (const auto& below : command.commands()) {
    if (!below->hidden()) page.subcommands.push_back(summary_of(*below, below->name()));
  }
  return page;
}

std::vector<CommandPage> pages_of(const Command& command) {
  std::vector<CommandPage> pages = {page_of(command)};
  for (const auto& below : command.commands()) {
    if (below->hidden()) continue;
    for (CommandPage& page : pages_of(*below)) pages.push_back(std::move(page));
  }
  return pages;
}

nlohmann::json to_json(const std::vector<CommandPage>& pages) {
  nlohmann::json json = nlohmann::json::array();
  for (const CommandPage& page : pages) {
    nlohmann::json options = nlohmann::json::array();
    for (const OptionPage& option : page.options) {
      options.push_back({{"names", option.names},
                         {"value", option.value},
                         {"help", option.help},
                         {"heading", option.heading},
                         {"choices", option.choices},
                         {"is_list", option.is_list}});
    }
    nlohmann::json subcommands = nlohmann::json::array();
    for (const auto& [name, description, example] : page.subcommands) {
      subcommands.push_back({name, description, example});
    }
    json.push_back({{"path", page.path},
                    {"summary", page.summary},
                    {"usage", page.usage},
                    {"notes", page.notes},
                    {"examples", page.examples},
                    {"options", options},
                    {"subcommands", subcommands}});
  }
  return json;
}

std::vector<CommandPage> pages_from_json(const nlohmann::json& json) {
  std::vector<CommandPage> pages;
  for (const auto& one : json) {
    CommandPage page{.path = one.at("path"),
                     .summary = one.at("summary"),
                     .usage = one.at("usage"),
                     .notes = one.at("notes"),
                     .examples = one.at("examples"),
                     .options = {},
                     .subcommands = {}};
    for (const auto& below : one.at("subcommands")) {
      page.subcommands.push_back({below.at(0), below.at(1), below.at(2)});
    }
    for (const auto& option : one.at("options")) {
      page.options.push_back({.names = option.at("names"),
                              .value = option.at("value"),
                              .help = option.at("help"),
                              .heading = option.at("heading"),
                              .choices = option.at("choices"),
                              .is_list = option.at("is_list")});
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace eatt::cli
