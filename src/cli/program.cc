#include "cli/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.h"
#include "base/log.h"
#include "base/status_line.h"
#include "base/text/printable.h"

namespace eatt::cli {
namespace {

constexpr char kLogGroup[] = "Logging (on stderr)";

void report(std::string_view program, std::string_view message) {
  write_to_stderr(fmt::format("{}: {}\n", program, message));
}

void add_log_options(CLI::App& app) {
  struct LogOptions {
    LogFormat format = LogFormat::plain;
    bool quiet = false;
    bool verbose = false;
  };
  const auto options = std::make_shared<LogOptions>();
  const std::map<std::string, LogFormat> formats{{"plain", LogFormat::plain},
                                                 {"json", LogFormat::json}};
  app.add_option("--log-format", options->format, "plain or json (a JSON object per line)")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->option_text("plain|json")
      ->group(kLogGroup);
  auto* quiet = app.add_flag("--quiet", options->quiet, "Warnings and errors only, no progress");
  quiet->group(kLogGroup);
  app.add_flag("--verbose", options->verbose, "Also what helps with debugging")
      ->excludes(quiet)
      ->group(kLogGroup);
  app.parse_complete_callback([options] {
    const auto level = options->quiet     ? spdlog::level::warn
                       : options->verbose ? spdlog::level::debug
                                          : spdlog::level::info;
    set_up_logging(options->format, level);
  });
}

// --beam_size, as some toolkits spell it, becomes --beam-size. What follows a lone "--" is left
// alone.
std::vector<std::string> hyphenated(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
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

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_name().empty()) names.push_back(one->get_name());
  }
  return names;
}

bool is_of(const CLI::ParseError& stop, CLI::ExitCodes code) {
  return stop.get_exit_code() == static_cast<int>(code);
}

// libtorch adds a stack trace.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Program::Program(const std::string& name, const std::string& description)
    : Command(std::make_shared<CLI::App>(description, name)) {
  app_->get_formatter()->column_width(36);
  app_->fallthrough();
  add_log_options(*app_);
}

void Program::set_version(std::function<std::string()> text) {
  app_->set_version_flag("--version", std::move(text));
}

const Command& Program::find_command(const std::vector<std::string>& arguments) const {
  const Command* command = this;
  for (size_t at = next_command_word(arguments, 0); at < arguments.size();
       at = next_command_word(arguments, at + 1)) {
    const Command* next = command->find(arguments[at]);
    if (next == nullptr) break;
    command = next;
  }
  return *command;
}

// Throws a UsageError for wrong usage, or what the command throws.
void Program::parse(std::vector<std::string> arguments) {
  const Command& command = find_command(arguments);
  std::string path = app_->get_name();
  for (const CLI::App* app = command.app_.get(); app != app_.get(); app = app->get_parent()) {
    path.insert(app_->get_name().size(), " " + app->get_name());
  }
  if (command.words_ != nullptr) {
    const auto mark = std::ranges::find(arguments, "--");
    if (mark != arguments.end()) command.words_->assign(mark + 1, arguments.end());
    arguments.erase(mark, arguments.end());
  }
  std::ranges::reverse(arguments);  // As CLI11 wants them.
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::ParseError& stop) {
    if (is_of(stop, CLI::ExitCodes::Success)) {  // --help or --version
      app_->exit(stop);
      return;
    }
    const std::vector<std::string> found = app_->remaining();
    std::string message = stop.what();
    if (is_of(stop, CLI::ExitCodes::RequiredError) && !command.commands_.empty()) {
      message = fmt::format("found {}, expected one of {}",
                            found.empty() ? "no command" : in_quotes(found.front()),
                            fmt::join(command_names(*command.app_), ", "));
    } else if (!found.empty() && command.words_ != nullptr) {
      message = fmt::format("{} is not expected before --; use `{} {}`", in_quotes(found.front()),
                            path, command.words_usage_);
    }
    throw UsageError(fmt::format("{}; see `{} --help`", message, path));
  }
}

int Program::run(int argc, char** argv, const std::function<void(const std::string&)>& before) {
  const std::string& name = app_->get_name();
  try {
    std::vector<std::string> arguments = hyphenated(argc, argv);
    const size_t first = next_command_word(arguments, 0);
    if (before && first < arguments.size()) before(arguments[first]);
    parse(std::move(arguments));
    flush_results();
    return kDone;
  } catch (const ExitCode& exit) {
    if (!exit.message.empty()) report(name, exit.message);
    return exit.code;
  } catch (const UsageError& error) {
    report(name, error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    report(name, first_line(user_message(error)));
  }
  return kFailed;
}

void flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(fmt::format("standard output: cannot be written: {}", system_message(errno)));
  }
}

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) flush_results();
}

}  // namespace eatt::cli
