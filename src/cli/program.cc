#include "cli/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/log_worker.h"
#include "base/stop_signal.h"
#include "base/text/utf8.h"
#include "cli/help/help_text.h"
#include "cli/parse.h"
#include "cli/suggest.h"

namespace eatt::cli {
namespace {

void report(std::string_view program, std::string_view message) {
  std::fflush(stdout);  // "See the lines above" is true in a pipe, too.
  if (log_format() == LogFormat::json) return spdlog::error("{}", message);
  write_to_stderr(fmt::format("{}: {}{}\n", program, log_worker_tag(), message));
}

// What is wrong with the command line is an object too if the line asks for them.
void set_up_json_early(const std::vector<std::string>& words) {
  std::string_view format;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    constexpr std::string_view kOption = "--log-format";
    if (!words[i].starts_with(kOption)) continue;
    if (words[i].starts_with("--log-format=")) format = words[i];
    if (words[i] == kOption && i + 1 < words.size()) format = words[i + 1];
  }
  if (format.ends_with("json")) set_up_logging(LogFormat::json, spdlog::level::info);
}

// --beam_size, as some toolkits spell it, becomes --beam-size. What follows a lone "--" is left
// alone.
std::vector<std::string> hyphenated(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const auto name_end =
        argument.begin() + static_cast<long>(std::min(argument.find('='), argument.size()));
    std::replace(argument.begin(), name_end, '_', '-');
  }
  return arguments;
}

// The first word at or after `at` that names a command: options of all commands may stand before
// it, and --log-format takes the word after it.
size_t next_command_word(const std::vector<std::string>& arguments, size_t at) {
  while (at < arguments.size() && arguments[at].starts_with('-')) {
    at += arguments[at] == "--log-format" ? 2 : 1;
  }
  return std::min(at, arguments.size());
}

bool has_before_mark(const std::vector<std::string>& words,
                     std::initializer_list<std::string_view> names) {
  const auto end = std::ranges::find(words, "--");
  return std::any_of(words.begin(), end, [&](const std::string& word) {
    return std::ranges::find(names, word) != names.end();
  });
}

// `help corpus prepare` is another way to type `corpus prepare --help`, and `version` to type
// `--version`. `help --train` is `help train`, where `is_command` knows it.
std::vector<std::string> with_help_as_option(
    std::vector<std::string> words, const std::function<bool(const std::string&)>& is_command) {
  const size_t first = next_command_word(hyphenated(words), 0);
  if (first == words.size()) return words;
  if (words[first] == "version" && words.size() == first + 1) words[first] = "--version";
  if (words[first] != "help") return words;
  if (has_before_mark(words, {"--help", "-h"})) return words;  // The help of `help`.
  words.erase(words.begin() + static_cast<long>(first));
  for (std::string& word : words) {
    if (word.starts_with("--") && is_command(word.substr(2))) word.erase(0, 2);
  }
  words.emplace_back("--help");
  return words;
}

// `corpus help prepare` and `translate help`, unless there is a file of that name.
bool is_help_word(const Command& command, const std::vector<std::string>& words, size_t at) {
  if (at >= words.size() || words[at] != "help") return false;
  std::error_code ignored;
  return !command.commands().empty() ||
         (words.size() == 1 && !std::filesystem::exists(words[at], ignored));
}

// "corpus", "corpus prepare", …: every command below, as it is typed after the program's name.
void collect_paths(const Command& command, const std::string& before,
                   std::vector<std::string>& paths) {
  for (const auto& below : command.commands()) {
    if (below->hidden()) continue;
    paths.push_back(before + below->name());
    collect_paths(*below, paths.back() + " ", paths);
  }
}

// A command that is near to what was typed, or that has such a name inside another: `prepare` is
// `corpus prepare`.
std::string nearest_command(const std::string& typed, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::string last = path.substr(path.rfind(' ') + 1);
    if (last == typed) return path;
    if (last == path) names.push_back(last);
  }
  return nearest_name(typed, names);
}

// libtorch adds a stack trace.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Program::Program(const std::string& name, const std::string& description)
    : Command(name, description, "", nullptr) {
  add_shared_options();
  add_command("help", "Show every command, or all about one", name + " help train")
      .add_option("COMMAND", help_words_, "A command, such as `train`");
}

void Program::add_shared_options() {
  add_flag(
      "-h,--help", [](bool) {}, "Show this help");
  add_flag(
      "-V,--version", [](bool) {}, "Show version, CPU and libraries");
  add_choice("--log-format", log_.format, {{"plain", LogFormat::plain}, {"json", LogFormat::json}},
             "Format of messages on stderr; json is an object per line");
  const Option quiet =
      add_flag("-q,--quiet", log_.quiet, "Log warnings and errors only; show no progress");
  add_flag("-v,--verbose", log_.verbose, "Also log details for debugging").excludes(quiet);
}

void Program::set_foreign_commands(std::vector<std::string> names, HandOver hand_over) {
  foreign_commands_ = std::move(names);
  hand_over_ = std::move(hand_over);
}

void Program::print_help(const Command& command) const {
  print_result(&command == this && overview_ ? overview_()
                                             : help_text(page_of(command), help_style()));
}

// Throws the UsageError about a command that has commands, where words[at] names none of them.
void Program::refuse_group(const Command& group, const std::vector<std::string>& words,
                           size_t at) const {
  // A wrong option before it is the first mistake.
  parse_options(group, {words.begin(), words.begin() + static_cast<long>(at)}, [] {});
  if (at < words.size() && !group.hint_on(words[at]).empty()) {
    throw UsageError(fmt::format("unknown command {}; {}{}", in_quotes(words[at]),
                                 group.hint_on(words[at]), see_help(group)));
  }
  std::vector<std::string> paths;
  collect_paths(group, "", paths);
  if (&group == this) paths.insert(paths.end(), foreign_commands_.begin(), foreign_commands_.end());
  const std::string suggestion = at < words.size() ? nearest_command(words[at], paths) : "";
  if (!suggestion.empty()) {
    throw UsageError(fmt::format("unknown command {}{}{}", in_quotes(words[at]),
                                 did_you_mean("`" + group.path() + " " + suggestion + "`"),
                                 see_help(group)));
  }
  std::erase_if(paths, [](const std::string& path) { return path.find(' ') != path.npos; });
  throw UsageError(fmt::format(
      "{}; expected one of {}{}",
      at < words.size() ? "unknown command " + in_quotes(words[at]) : "no command is given",
      fmt::join(paths, ", "), see_help(group)));
}

// Throws a UsageError for wrong usage, or what the command throws.
void Program::execute(std::vector<std::string> words) {
  const Command* command = this;
  size_t at = next_command_word(words, 0);
  for (; at < words.size(); at = next_command_word(words, at)) {
    const Command* next = command->find_command(words[at]);
    if (next == nullptr && !is_help_word(*command, words, at)) break;
    words.erase(words.begin() + static_cast<long>(at));
    if (next == nullptr) words.emplace_back("--help");
    if (next != nullptr) command = next;
  }
  const bool is_group = !command->commands().empty();
  if (is_group && at < words.size()) refuse_group(*command, words, at);
  if (has_before_mark(words, {"--help", "-h"}) || (command == this && words.empty())) {
    return print_help(*command);
  }
  if (version_ && has_before_mark(words, {"--version", "-V"})) return print_result(version_());
  if (is_group) refuse_group(*command, words, words.size());
  if (command->words() != nullptr) {
    const auto mark = std::ranges::find(words, "--");
    if (mark != words.end()) command->words()->assign(mark + 1, words.end());
    words.erase(mark, words.end());
  }
  parse_options(*command, words, [this] {
    const auto level = log_.quiet     ? spdlog::level::warn
                       : log_.verbose ? spdlog::level::debug
                                      : spdlog::level::info;
    set_up_logging(log_.format, level);
  });
  command->run();
}

int Program::run(int argc, char** argv) {
  discard_files_on_signals();
  try {
    const auto typed =
        with_help_as_option({argv + 1, argv + argc}, [this](const std::string& word) {
          return find_command(word) != nullptr ||
                 std::ranges::find(foreign_commands_, word) != foreign_commands_.end();
        });
    std::vector<std::string> words = hyphenated(typed);
    set_up_json_early(words);
    const size_t first = next_command_word(words, 0);
    if (first < words.size() &&
        std::ranges::find(foreign_commands_, words[first]) != foreign_commands_.end()) {
      hand_over_(words[first], typed);
    }
    execute(std::move(words));
    flush_results();
    return kDone;
  } catch (const ExitCode& exit) {
    if (!exit.message.empty()) report(name(), exit.message);
    return exit.code;
  } catch (const UsageError& error) {
    report(name(), error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    report(name(), first_line(user_message(error)));
  }
  // As a program that the signal has ended.
  return StopSignal::number() != 0 ? kEndedBySignal + StopSignal::number() : kFailed;
}

void flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (errno == EPIPE) throw ExitCode{kClosedPipe, ""};
    throw Error(fmt::format("standard output: cannot be written: {}", system_message(errno)));
  }
}

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) flush_results();
}

bool is_quiet() { return !spdlog::should_log(spdlog::level::info); }

void print_report(std::string_view text, const std::filesystem::path& written) {
  if (!is_standard_output(written)) return print_result(text);
  write_to_stderr(text);
}

}  // namespace eatt::cli
