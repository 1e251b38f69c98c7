// The pages of all commands of both programs, for completion and man pages.
#include <fmt/format.h>

#include <array>
#include <cstdio>
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
CommandPage short_page(const CommandSummary& command) {
  return {.path = "eatt " + command.name,
          .summary = command.description,
          .usage = "eatt " + command.name + " [OPTIONS]",
          .notes = {"This command is part of eatt-train, which is not installed."},
          .examples = {command.example},
          .options = {},
          .subcommands = {}};
}

std::vector<CommandPage> train_pages() {
  std::vector<CommandPage> pages;
  if (const std::string program = find_eatt_train(); !program.empty()) {
    const auto json = nlohmann::json::parse(
        output_of(fmt::format("{} {}", quoted_for_shell(program), kDescribe)), nullptr, false);
    if (json.is_discarded()) {
      throw Error(fmt::format("{}: does not describe its commands; build it again", program));
    }
    return pages_from_json(json);
  }
  for (const CommandSummary& command : train_commands()) pages.push_back(short_page(command));
  return pages;
}

}  // namespace

void add_describe_command(Command& eatt_train) {
  Command& command = eatt_train.add_command(kDescribe, "Print all commands as JSON, for eatt", "");
  command.hide();
  command.on_run([&eatt_train] {
    std::vector<CommandPage> pages;
    for (const CommandSummary& known : train_commands()) {
      const Command* one = eatt_train.find_command(known.name);
      expects(one != nullptr, "eatt-train has every command of its table");
      CommandPage page = page_of(*one);
      // People type `eatt train`, which finds eatt-train.
      for (std::string* text : {&page.path, &page.usage}) {
        text->replace(0, eatt_train.name().size(), "eatt");
      }
      pages.push_back(std::move(page));
    }
    print_result(to_json(pages).dump() + "\n");
  });
}

std::vector<CommandPage> every_page(const Command& eatt) {
  std::vector<CommandPage> pages = pages_of(eatt);
  for (CommandPage& page : train_pages()) {
    const std::string name = page.path.substr(page.path.find(' ') + 1);
    pages.front().subcommands.push_back(
        {name, page.summary, page.examples.empty() ? "" : page.examples.front()});
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace eatt::cli
