#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace eatt::cli {

// Exit codes of both programs.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// Thrown by a command that ends with the exit code of another program: run_app() returns it.
struct ExitCode {
  int code = kDone;
  std::string message;  // For stderr, as of an Error; empty if there is nothing to say.
};

// Gives a fresh App what every command shares: log options, help layout, fall-through of these
// options to subcommands. Call before adding subcommands.
void set_up_app(CLI::App& app);

// Parses, runs the chosen command's callback and turns whatever happens into one line on stderr
// and an exit code. The only place where exceptions end.
int run_app(CLI::App& app, int argc, char** argv);

// Adds a subcommand whose help ends with an example line.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example);

// --cpu-threads, applied to the whole process.
void add_threads_option(CLI::App& command);

// The value of a --json flag or an output path is bound by the commands themselves; results always
// go through here, so a full disk or a closed pipe on stdout is an error and not a silent loss.
void print_result(std::string_view text);
// For who hands over to another program; run_app() does it at the end.
void flush_results();

}  // namespace eatt::cli
