#include "cli/help/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "base/text/text_layout.h"

namespace eatt::cli {
namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestColumns = 40;
constexpr size_t kMostColumns = 100;
constexpr std::string_view kDefault = "[default: ";
constexpr size_t kWidestNames = 30;  // What is longer has a line of its own.

size_t columns_of_output() {
  const std::string_view wish = std::getenv("COLUMNS") == nullptr ? "" : std::getenv("COLUMNS");
  size_t columns = 0;
  const auto read = std::from_chars(wish.data(), wish.data() + wish.size(), columns);
  if (read.ec == std::errc() && columns > 0) return columns;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// "-o, --output FILE"; names without a short form are indented to stand below the long ones.
std::string names_and_value(const OptionPage& option) {
  if (option.names.empty()) return option.value;
  const bool has_short = option.names.front().size() == 2;
  return fmt::format("{}{}{}{}", has_short ? "" : "    ", fmt::join(option.names, ", "),
                     option.value.empty() ? "" : " ", option.value);
}

// A row of two columns; the right one starts at `indent` and is wrapped.
std::string row(const std::string& left, const std::string& right, size_t indent, size_t columns) {
  std::string lead = "  " + left;
  std::string above;
  if (display_width(lead) + 2 > indent) {
    above = lead + "\n";
    lead.clear();
  }
  lead.resize(lead.size() + indent - display_width(lead), ' ');
  // "[default: 4]" stays in one line if it fits there.
  constexpr char kNoBreak = '\x01';
  std::string text = right;
  const size_t at = text.rfind(kDefault);
  if (at != std::string::npos && text.size() - at + indent <= columns) {
    std::replace(text.begin() + static_cast<long>(at), text.end(), ' ', kNoBreak);
  }
  text = above + wrap_text(text, columns, lead);
  std::ranges::replace(text, kNoBreak, ' ');
  return text;
}

std::string option_rows(const CommandPage& page, const HelpStyle& style) {
  size_t widest = 0;
  const size_t limit = std::min(kWidestNames, style.columns * 2 / 5);
  for (const OptionPage& option : page.options) {
    const size_t width = display_width(names_and_value(option));
    if (width <= limit) widest = std::max(widest, width);
  }
  std::string text;
  const std::string* last = nullptr;
  for (const OptionPage& option : page.options) {
    if (last == nullptr || *last != option.heading) {
      text += "\n" + heading(option.heading.empty() ? "Options" : option.heading, style);
    }
    last = &option.heading;
    text += row(names_and_value(option), option.help, widest + 4, style.columns);
  }
  return text;
}

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

// The characters of the word at `at` and, if it is an option, of the values after it.
size_t width_together(const std::vector<std::string>& words, size_t at) {
  size_t width = words[at].size();
  if (!is_option(words[at])) return width;
  while (++at < words.size() && !is_option(words[at])) width += 1 + words[at].size();
  return width;
}

// A command in lines that fit, if possible broken before options; it can be copied as it stands.
std::string command_lines(const std::string& command, const std::string& indent, size_t columns) {
  constexpr std::string_view kGoesOn = " \\";
  const std::string deeper = indent + "    ";
  std::vector<std::string> words;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  std::string text = indent;
  size_t used = indent.size();
  for (size_t i = 0; i < words.size(); ++i) {
    const auto fits = [&](size_t begin, size_t width) {
      return begin + width + kGoesOn.size() <= columns;
    };
    const size_t together = width_together(words, i);
    const bool starts_line = !fits(used + 1, words[i].size()) ||
                             (!fits(used + 1, together) && fits(deeper.size(), together));
    if (i > 0 && starts_line) {
      ((text += kGoesOn) += "\n") += deeper;
      used = deeper.size();
    } else if (i > 0) {
      text += ' ';
      ++used;
    }
    text += words[i];
    used += words[i].size();
  }
  return text + "\n";
}

}  // namespace

HelpStyle help_style() {
  return {.columns = std::clamp(columns_of_output(), kFewestColumns, kMostColumns),
          .bold_headings = ::isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR")};
}

std::string heading(std::string_view title, const HelpStyle& style) {
  return style.bold_headings ? fmt::format("\x1b[1m{}:\x1b[0m\n", title)
                             : fmt::format("{}:\n", title);
}

std::string help_text(const CommandPage& page, const HelpStyle& style) {
  std::string text = wrap_text(page.summary, style.columns);
  text += "\n" + wrap_text(page.usage, style.columns, "Usage: ");
  if (!page.subcommands.empty()) {
    const CommandGroup group{"Commands", page.subcommands};
    text += "\n" + command_list({&group, 1}, style);
  }
  text += option_rows(page, style);
  for (const std::string& note : page.notes) text += "\n" + wrap_text(note, style.columns);
  if (page.examples.empty()) return text;
  text += "\n" + heading(page.examples.size() == 1 ? "Example" : "Examples", style);
  for (const std::string& example : page.examples) {
    text += command_lines(example, "  ", style.columns);
  }
  return text;
}

std::string command_list(std::span<const CommandGroup> groups, const HelpStyle& style) {
  size_t widest = 0;
  for (const CommandGroup& group : groups) {
    for (const CommandSummary& command : group.commands) {
      widest = std::max(widest, display_width(command.name));
    }
  }
  // Examples stand below the descriptions where there is room.
  const std::string indent(style.columns < 70 ? 4 : widest + 4, ' ');
  std::string text;
  for (const CommandGroup& group : groups) {
    if (!text.empty()) text += "\n";
    text += heading(group.title, style);
    for (const CommandSummary& command : group.commands) {
      text += row(command.name, command.description, widest + 4, style.columns);
      text += command_lines(command.example, indent, style.columns);
    }
  }
  return text;
}

}  // namespace eatt::cli
