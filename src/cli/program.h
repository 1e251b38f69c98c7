#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace eatt::cli {

// Exit codes of both programs.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// Thrown by a command that ends with the exit code of another program: Program::run() returns it.
struct ExitCode {
  int code = kDone;
  std::string message;  // For stderr, as of an Error; empty if there is nothing to say.
};

// A program and what all its commands share: log options, layout of help, messages, exit codes.
class Program : public Command {
 public:
  Program(const std::string& name, const std::string& description);

  // What --version prints.
  void set_version(std::function<std::string()> text);

  // Reads the command line, runs the chosen command and turns whatever happens into one line on
  // stderr and an exit code: the only place where exceptions end. Calls `before`, if there is one,
  // with the first word that is not an option; it may hand over to another program.
  int run(int argc, char** argv, const std::function<void(const std::string&)>& before = {});

 private:
  const Command& find_command(const std::vector<std::string>& arguments) const;
  void parse(std::vector<std::string> arguments);
};

// Results always go through here, so that a full disk or a closed pipe is an error and not a silent
// loss.
void print_result(std::string_view text);
// Called before another program takes over; Program::run() does it at the end.
void flush_results();

// Build, CPU target and libraries, a line each; what a bug report should carry.
std::string version_text(const std::string& program);

// Commands that need libtorch, and so belong to the program eatt-train.
bool belongs_to_eatt_train(std::string_view command);

// Throws an Error that says where eatt-train was looked for if it is not found: for commands that
// work long before they hand over.
void expect_eatt_train(std::string_view command);

// Becomes eatt-train with the same arguments, as git does with its own commands: looks beside this
// program first, then on PATH. Returns only by throwing an Error that says where it looked.
[[noreturn]] void hand_over_to_eatt_train(const std::string& command, char** argv);

}  // namespace eatt::cli
