#include "support/run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "support/files.h"

extern char** environ;

namespace eatt::testing {

std::filesystem::path program_path(std::string_view name) {
  return std::filesystem::path(EATT_BIN_DIR) / name;
}

namespace {

// Starts a program whose standard streams are files in `folder`, so that no amount of output can
// block it.
pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            std::string_view standard_input, const TemporaryFolder& folder) {
  const auto in = folder.write("in", standard_input);
  std::string path =
      program.find('/') == std::string::npos ? program_path(program).string() : program;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int create = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (folder / "out").c_str(), create, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder / "err").c_str(), create, 0600);
  pid_t child = 0;
  const int spawned = ::posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) throw std::runtime_error("cannot start " + path);
  return child;
}

}  // namespace

RunResult run(const std::string& program, const std::vector<std::string>& arguments,
              std::string_view standard_input) {
  const TemporaryFolder folder;
  const pid_t child = start(program, arguments, standard_input, folder);
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_text(folder / "out"), read_text(folder / "err")};
}

bool run_and_kill(const std::string& program, const std::vector<std::string>& arguments,
                  int milliseconds) {
  const TemporaryFolder folder;
  const pid_t child = start(program, arguments, {}, folder);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace eatt::testing
