// Manual pages in troff, from the same pages as help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "cli/commands.h"
#include "cli/help/help_text.h"
#include "cli/help/overview.h"
#include "cli/help/reference.h"
#include "cli/program.h"
#include "eatt_build.h"

namespace eatt::cli {
namespace {

// Text as troff reads it: a hyphen is a minus to be copied, a backslash is \e, and no line starts
// with a dot or an apostrophe.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '^') {
      result += "\\(ha";
    } else if (c == '~') {
      result += "\\(ti";
    } else if (c == '`') {
      result += "\\(ga";
    } else if (c == '\'') {
      result += "\\(aq";
    } else {
      result += c;
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string hyphenated_path(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return text;
}

std::string options_section(const CommandPage& page) {
  std::string text;
  const std::string* last = nullptr;
  for (const OptionPage& option : page.options) {
    if (last == nullptr) text += ".SH OPTIONS\n";
    if (last == nullptr || *last != option.heading) {
      text += fmt::format(".SS {}\n", escaped(option.heading.empty() ? "General" : option.heading));
    }
    last = &option.heading;
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back("\\fB" + escaped(name) + "\\fR");
    const std::string value = option.value.empty() ? "" : "\\fI" + escaped(option.value) + "\\fR";
    text += fmt::format(".TP\n{}{}{}\n{}\n", fmt::join(names, ", "),
                        names.empty() || value.empty() ? "" : " ", value, escaped(option.help));
  }
  return text;
}

std::string commands_section(const std::vector<CommandGroup>& groups) {
  if (groups.empty()) return {};
  std::string text = ".SH COMMANDS\n";
  for (const CommandGroup& group : groups) {
    text += fmt::format(".SS {}\n", escaped(group.title));
    for (const CommandSummary& command : group.commands) {
      text +=
          fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command.name), escaped(command.description));
    }
  }
  return text;
}

std::string examples_section(const CommandPage& page) {
  if (page.examples.empty()) return {};
  std::string text = page.examples.size() == 1 ? ".SH EXAMPLE\n" : ".SH EXAMPLES\n";
  text += ".nf\n.RS\n";
  for (const std::string& example : page.examples) text += escaped(example) + "\n";
  return text + ".RE\n.fi\n";
}

// The command that this one is part of, those that are part of it, and the program.
std::string see_also(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> related;
  for (const std::string& other : names) {
    const bool is_near = name.starts_with(other + "-") || other.starts_with(name + "-");
    if (is_near) related.push_back(".BR " + escaped(other) + " (1)");
  }
  return related.empty() ? "" : fmt::format(".SH SEE ALSO\n{}\n", fmt::join(related, ",\n"));
}

constexpr char kExitStatus[] =
    ".SH EXIT STATUS\n"
    "0 on success, 1 if something failed, 2 for wrong usage, 128 plus the number of the signal "
    "that\n"
    "stopped it (130 after Ctrl-C), 141 if whatever reads the output has ended.\n";

void write_man_pages(const Command& program, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<CommandPage> pages = every_page(program);
  std::vector<std::string> names;
  for (const CommandPage& page : pages) names.push_back(hyphenated_path(page.path));
  for (const CommandPage& page : pages) {
    std::vector<CommandGroup> groups;
    if (!page.subcommands.empty()) groups = {{"Commands of " + page.path, page.subcommands}};
    if (page.path == program.name()) groups = command_groups(program);
    write_file_atomically(folder / (hyphenated_path(page.path) + ".1"),
                          man_page(page, groups, names));
  }
  print_result(fmt::format("{}: {} man pages\n", folder.string(), pages.size()));
}

}  // namespace

std::string man_page(const CommandPage& page, const std::vector<CommandGroup>& groups,
                     const std::vector<std::string>& names) {
  const std::string name = hyphenated_path(page.path);
  std::string text = fmt::format(".TH {} 1 \"\" \"eatt {}\" \"eatt manual\"\n",
                                 upper(escaped(name)), build::kVersion);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(page.summary));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", escaped(page.path),
                      escaped(page.usage.substr(page.path.size())));
  if (!page.notes.empty()) text += ".SH DESCRIPTION\n";
  for (size_t i = 0; i < page.notes.size(); ++i) {
    text += (i > 0 ? ".PP\n" : "") + escaped(page.notes[i]) + "\n";
  }
  return text + commands_section(groups) + options_section(page) + kExitStatus +
         examples_section(page) + see_also(name, names);
}

void add_man_command(Command& program) {
  Command& command =
      program.add_command("man", "Write the manual pages of all commands to a folder",
                          "eatt man ~/.local/share/man/man1");
  const auto folder = std::make_shared<std::filesystem::path>();
  command.add_option("DIR", *folder, "Folder for eatt.1, eatt-translate.1 and the others")
      .required()
      .fills();
  command.add_note("`man eatt-translate` finds them in ~/.local/share/man/man1.");
  command.on_run([&program, folder] { write_man_pages(program, *folder); });
}

}  // namespace eatt::cli
