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

constexpr char kProgram[] = "eatt-train";
constexpr char kThisProgram[] = "eatt";

std::filesystem::path beside_this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kProgram;
}

}  // namespace

std::string find_eatt_train() {
  const auto is_program = [](const std::string& path) {
    return std::filesystem::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
  };
  if (const std::string beside = beside_this_program().string(); is_program(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (std::filesystem::path(folder) / kProgram).string();
    if (is_program(file)) return file;
  }
  return {};
}

void expect_eatt_train(std::string_view command) {
  if (!find_eatt_train().empty()) return;
  throw Error(fmt::format(
      "`{}` needs the program eatt-train, which is neither at {} nor on PATH; build it with "
      "`cmake --workflow --preset release` (it needs libtorch)",
      command, beside_this_program().string()));
}

namespace {

// The program, and the arguments as the system takes them.
struct TrainCall {
  TrainCall(const std::string& command, const std::vector<std::string>& arguments)
      : words({kThisProgram}) {
    expect_eatt_train(command);
    path = find_eatt_train();
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
  }

  [[noreturn]] void fail(int error) const {
    throw Error(fmt::format("{}: cannot be started: {}", path, system_message(error)));
  }

  std::string path;
  std::vector<std::string> words;
  std::vector<char*> argv;
};

}  // namespace

int run_eatt_train(const std::string& command, const std::vector<std::string>& arguments) {
  const TrainCall call(command, arguments);
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
  const TrainCall call(command, arguments);
  ::execv(call.path.c_str(), call.argv.data());
  call.fail(errno);
}

std::string typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command;
  for (std::string word; std::getline(file, word, '\0');) {
    command += (command.empty() ? "" : " ") + (word.starts_with('-') ? word : shell_quoted(word));
  }
  return command;
}

std::string name_in_messages(const char* program) {
  return std::string_view(program) == kThisProgram ? kThisProgram : kProgram;
}

}  // namespace eatt::cli
