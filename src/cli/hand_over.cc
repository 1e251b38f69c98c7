#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

constexpr char kTrain[] = "eatt-train";
constexpr char kServe[] = "eatt-serve";
constexpr char kThisProgram[] = "eatt";

std::filesystem::path beside_this_program(const char* program) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / program;
}

// Beside this program, else on PATH; empty if it is nowhere.
std::string find_program(const char* program) {
  const auto is_program = [](const std::string& path) {
    return std::filesystem::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
  };
  const std::string beside = beside_this_program(program).string();
  if (is_program(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (std::filesystem::path(folder) / program).string();
    if (is_program(file)) return file;
  }
  return {};
}

// Throws an Error that says where the program was looked for.
std::string expect_program(const char* program, std::string_view command, std::string_view needs) {
  const std::string path = find_program(program);
  if (!path.empty()) return path;
  throw Error(
      fmt::format("`{}` needs the program {}, which is neither at {} nor on PATH; build it with "
                  "`cmake --workflow --preset release`{}",
                  command, program, beside_this_program(program).string(), needs));
}

std::string expect_train_program(std::string_view command) {
  return expect_program(kTrain, command, " (it needs libtorch)");
}

}  // namespace

std::string find_eatt_train() { return find_program(kTrain); }
std::string find_eatt_serve() { return find_program(kServe); }

void expect_eatt_train(std::string_view command) { expect_train_program(command); }

namespace {

// The program, and the arguments as the system takes them.
struct ProgramCall {
  ProgramCall(std::string program, const std::vector<std::string>& arguments)
      : path(std::move(program)), words({kThisProgram}) {
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
  }

  [[noreturn]] void fail(int error) const {
    throw Error(fmt::format("{}: cannot be started: {}", path, system_message(error)));
  }

  // Becomes the program.
  [[noreturn]] void take_over() const {
    ::execv(path.c_str(), argv.data());
    fail(errno);
  }

  std::string path;
  std::vector<std::string> words;
  std::vector<char*> argv;
};

}  // namespace

int run_eatt_train(const std::string& command, const std::vector<std::string>& arguments) {
  const ProgramCall call(expect_train_program(command), arguments);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, call.path.c_str(), nullptr, nullptr, call.argv.data(), environ);
  if (error != 0) call.fail(error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) call.fail(errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kEndedBySignal + WTERMSIG(status);
}

void hand_over_to_eatt_train(const std::string& command,
                             const std::vector<std::string>& arguments) {
  ProgramCall(expect_train_program(command), arguments).take_over();
}

void hand_over_to_eatt_serve(const std::string& command,
                             const std::vector<std::string>& arguments) {
  ProgramCall(expect_program(kServe, command, ""), arguments).take_over();
}

std::string typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command;
  for (std::string word; std::getline(file, word, '\0');) {
    command += (command.empty() ? "" : " ") + (word.starts_with('-') ? word : shell_quoted(word));
  }
  return command;
}

std::string name_in_messages(const char* typed, const char* program) {
  return std::string_view(typed) == kThisProgram ? kThisProgram : program;
}

}  // namespace eatt::cli
