#include "cli/program.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text/printable.h"
#include "base/threads.h"

namespace eatt::cli {
namespace {

void report(std::string_view program, std::string_view message) {
  // Where nobody can read it, that must not hide the exit code: fmt::print would throw.
  std::fputs(fmt::format("{}: {}\n", program, message).c_str(), stderr);
}

// What CLI11 has to say, but where a command's name was expected, also what was found and which
// there are.
std::string parse_message(const CLI::App& app, const CLI::App& command,
                          const CLI::ParseError& stop) {
  const auto commands =
      command.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
  const bool expects_command =
      stop.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
      command.get_require_subcommand_min() > 0 && !commands.empty();
  if (!expects_command) return stop.what();
  std::vector<std::string> names;
  for (const CLI::App* one : commands) names.push_back(one->get_name());
  const std::vector<std::string> found = app.remaining();
  return fmt::format("found {}, expected one of {}",
                     found.empty() ? "no command" : in_quotes(found.front()),
                     fmt::join(names, ", "));
}

// CLI11 throws to leave parse(): for --help and --version with code 0, else for wrong usage.
int leave_parse(const CLI::App& app, const CLI::ParseError& stop) {
  if (stop.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(stop);
    flush_results();
    return kDone;
  }
  const CLI::App* command = &app;
  std::string path = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  report(app.get_name(),
         fmt::format("{}; see `{} --help`", parse_message(app, *command, stop), path));
  return kWrongUsage;
}

}  // namespace

void flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(fmt::format("standard output: cannot be written: {}", system_message(errno)));
  }
}

void set_up_app(CLI::App& app) {
  app.get_formatter()->column_width(36);
  app.fallthrough();
  app.require_subcommand(1);
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
      ->group("Logging (on stderr)");
  auto* quiet = app.add_flag("--quiet", options->quiet, "Warnings and errors only, no progress");
  quiet->group("Logging (on stderr)");
  app.add_flag("--verbose", options->verbose, "Also what is for debugging")
      ->excludes(quiet)
      ->group("Logging (on stderr)");
  app.parse_complete_callback([options] {
    const auto level = options->quiet     ? spdlog::level::warn
                       : options->verbose ? spdlog::level::debug
                                          : spdlog::level::info;
    set_up_logging(options->format, level);
  });
}

namespace {

// Names of options in the order that CLI11 wants, last first; --beam_size, as some toolkits spell
// it, becomes --beam-size. What stands behind a lone "--" is somebody else's.
std::vector<std::string> hyphenated(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const auto name_end =
        argument.begin() + static_cast<long>(std::min(argument.find('='), argument.size()));
    std::replace(argument.begin(), name_end, '_', '-');
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

}  // namespace

int run_app(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(hyphenated(argc, argv));
    flush_results();
    return kDone;
  } catch (const ExitCode& exit) {
    if (!exit.message.empty()) report(app.get_name(), exit.message);
    return exit.code;
  } catch (const CLI::ParseError& stop) {
    return leave_parse(app, stop);
  } catch (const UsageError& error) {
    report(app.get_name(), error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    report(app.get_name(), user_message(error));
  }
  return kFailed;
}

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer("\nExample:\n  " + example);
  return command;
}

void add_threads_option(CLI::App& command) {
  command
      .add_option_function<int>(
          "--cpu-threads", [](int threads) { set_thread_count(threads); },
          "Threads to compute with; 0 for all CPUs")
      ->option_text("N")
      ->default_str("0");
}

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) flush_results();
}

}  // namespace eatt::cli
