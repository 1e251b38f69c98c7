#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "cli/command.h"

namespace eatt::cli {

// Exit codes of both programs.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
// As shells say it of a command that cannot be run, or that a signal has ended.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;
inline constexpr int kEndedBySignal = 128;  // Plus its number: 130 after Ctrl-C.
inline constexpr int kClosedPipe = 141;     // As of a tool that SIGPIPE ended: `| head` has enough.

// Thrown by a command that ends with the exit code of another program: Program::run() returns it.
struct ExitCode {
  int code = kDone;
  std::string message;  // For stderr, as of an Error; empty if there is nothing to say.
};

// A program and what all its commands share: log options, help, messages, exit codes.
class Program : public Command {
 public:
  Program(const std::string& name, const std::string& description);

  // What --version prints.
  void set_version(std::function<std::string()> text) { version_ = std::move(text); }
  // What the program prints without arguments and with --help; else a list of its commands.
  void set_overview(std::function<std::string()> text) { overview_ = std::move(text); }

  // Commands of another program: `hand_over` becomes it, with all arguments, and does not return.
  using HandOver =
      std::function<void(const std::string& command, const std::vector<std::string>& arguments)>;
  void set_foreign_commands(std::vector<std::string> names, HandOver hand_over);

  // Reads the command line, runs the chosen command and turns whatever happens into one line on
  // stderr and an exit code: the only place where exceptions end.
  int run(int argc, char** argv);

 private:
  struct LogOptions {
    LogFormat format = LogFormat::plain;
    bool quiet = false;
    bool verbose = false;
  };

  void add_shared_options();
  void execute(std::vector<std::string> words);
  void print_help(const Command& command) const;
  void refuse_group(const Command& group, const std::vector<std::string>& words, size_t at) const;

  LogOptions log_;
  std::vector<std::string> help_words_;
  std::function<std::string()> version_;
  std::function<std::string()> overview_;
  std::vector<std::string> foreign_commands_;
  HandOver hand_over_;
};

// Results always go through here, so that a full disk is an error and not a silent loss. A pipe
// that nobody reads any more ends the program with kClosedPipe and no message.
void print_result(std::string_view text);
// Whether --quiet was given: reports that nobody asked for are left out.
bool is_quiet();
// What is told about a file that was written: on standard error if that file is standard output.
void print_report(std::string_view text, const std::filesystem::path& written);
// Called before another program takes over; Program::run() does it at the end.
void flush_results();

// Build, CPU target and libraries, a line each; what a bug report should carry.
std::string version_text(const std::string& program);

// "Made by eatt 0.1.0 (…).": the foot of reports.
std::string made_by_text();

// The paths of our other programs: beside this one, else on PATH; empty if they are nowhere.
std::string find_eatt_train();
std::string find_eatt_serve();

// Throws an Error that says where eatt-train was looked for if it is not found: for commands that
// work long before they hand over.
void expect_eatt_train(std::string_view command);

// Runs eatt-train with these arguments and waits for its end; returns its exit code. It prints its
// own messages. Throws an Error if it cannot be started.
int run_eatt_train(const std::string& command, const std::vector<std::string>& arguments);

// Becomes eatt-train with these arguments, as git does with its own commands. Returns only by
// throwing an Error that says where it looked.
[[noreturn]] void hand_over_to_eatt_train(const std::string& command,
                                          const std::vector<std::string>& arguments);
// The same with eatt-serve.
[[noreturn]] void hand_over_to_eatt_serve(const std::string& command,
                                          const std::vector<std::string>& arguments);
// What such a program calls itself in messages: "eatt" if eatt handed over, as the user typed that.
// `typed` is argv[0].
std::string name_in_messages(const char* typed, const char* program);
// The command line of this process, with quotes where a shell needs them.
std::string typed_command();

}  // namespace eatt::cli
