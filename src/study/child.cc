#include "study/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt::study {
namespace {

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The descriptors and signals of a program to start.
class Start {
 public:
  explicit Start(const Child::Outputs& outputs) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, outputs.result.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, outputs.log.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0666);
    // A group of its own: Ctrl-C at the terminal reaches us, and we tell the children.
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // 0 or an error number.
  int run(const std::vector<std::string>& words, pid_t& pid) const {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    return ::posix_spawn(&pid, argv[0], &files_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Child::Child(const std::vector<std::string>& words, const Outputs& outputs) {
  const int error = Start(outputs).run(words, pid_);
  if (error != 0) {
    throw Error(fmt::format("{}: cannot be started: {}", words.front(), system_message(error)));
  }
}

Child::~Child() {
  if (exit_code_) return;
  ask_to_end();
  wait();
}

std::optional<int> Child::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) exit_code_ = code_of(status);
  return exit_code_;
}

void Child::ask_to_end() {
  if (!exit_code_) ::kill(pid_, SIGTERM);
}

int Child::wait() {
  int status = 0;
  while (!exit_code_) {
    if (::waitpid(pid_, &status, 0) == pid_) exit_code_ = code_of(status);
  }
  return *exit_code_;
}

std::string last_message(const std::filesystem::path& log) {
  std::ifstream lines(log);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  for (const std::string_view program : {"eatt: ", "eatt-train: "}) {
    if (last.starts_with(program)) return last.substr(program.size());
  }
  return last;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word.starts_with("--") ? word : shell_quoted(word);
  }
  return text;
}

}  // namespace eatt::study
