// The pages of all commands of all programs, for completion and man pages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/help/page.h"
#include "cli/help/reference.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

constexpr char kDescribe[] = "describe-commands";

std::string quoted_for_shell(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string output_of(const std::string& shell_command) {
  std::FILE* pipe = ::popen(shell_command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  return ::pclose(pipe) == 0 ? text : std::string();
}

// Of what the table alone knows.
CommandPage short_page(const CommandSummary& command, std::string_view program) {
  return {.path = "eatt " + command.name,
          .summary = command.description,
          .usage = "eatt " + command.name + " [OPTIONS]",
          .notes = {fmt::format("This command is part of {}, which is not installed.", program)},
          .examples = {command.example},
          .options = {},
          .subcommands = {}};
}

// Of the commands of another program, which is at `program` or, if that is empty, not installed.
std::vector<CommandPage> pages_from(std::string_view name, const std::string& program,
                                    const std::vector<CommandSummary>& commands) {
  std::vector<CommandPage> pages;
  if (!program.empty()) {
    const auto json = nlohmann::json::parse(
        output_of(fmt::format("{} {}", quoted_for_shell(program), kDescribe)), nullptr, false);
    if (json.is_discarded()) {
      throw Error(fmt::format("{}: does not describe its commands; build it again", program));
    }
    return pages_from_json(json);
  }
  for (const CommandSummary& command : commands) pages.push_back(short_page(command, name));
  return pages;
}

}  // namespace

void add_describe_command(Command& program, const std::vector<CommandSummary>& commands) {
  Command& command = program.add_command(kDescribe, "Print all commands as JSON, for eatt", "");
  command.hide();
  command.on_run([&program, &commands] {
    std::vector<CommandPage> pages;
    for (const CommandSummary& known : commands) {
      const Command* one = program.find_command(known.name);
      expects(one != nullptr, "the program has every command of its table");
      CommandPage page = page_of(*one);
      // People type `eatt train`, which finds eatt-train.
      for (std::string* text : {&page.path, &page.usage}) {
        text->replace(0, program.name().size(), "eatt");
      }
      pages.push_back(std::move(page));
    }
    print_result(to_json(pages).dump() + "\n");
  });
}

std::vector<CommandPage> every_page(const Command& eatt) {
  std::vector<CommandPage> pages = pages_of(eatt);
  std::vector<CommandPage> others = pages_from("eatt-train", find_eatt_train(), train_commands());
  std::ranges::move(pages_from("eatt-serve", find_eatt_serve(), serve_commands()),
                    std::back_inserter(others));
  for (CommandPage& page : others) {
    const std::string name = page.path.substr(page.path.find(' ') + 1);
    pages.front().subcommands.push_back(
        {name, page.summary, page.examples.empty() ? "" : page.examples.front()});
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace eatt::cli
