#include "support/dialogue.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "support/run.h"

extern char** environ;

namespace eatt::testing {

Dialogue::Dialogue(const std::string& program, const std::vector<std::string>& arguments) {
  int to_child[2], from_child[2];
  if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(from_child, O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot create pipes");
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::string path = program_path(program).string();
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  const int spawned = ::posix_spawn(&child_, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(to_child[0]);
  ::close(from_child[1]);
  input_ = FileDescriptor(to_child[1]);
  output_ = FileDescriptor(from_child[0]);
  if (spawned != 0) throw std::runtime_error("cannot start " + path);
}

Dialogue::~Dialogue() {
  if (child_ == 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void Dialogue::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_.get(), text.data(), text.size());
    if (written <= 0) return;  // It closed its input; the exit code says why.
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string Dialogue::line() {
  for (;;) {
    const size_t end = read_.find('\n');
    if (end != std::string::npos) {
      const std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    pollfd ready{output_.get(), POLLIN, 0};
    char buffer[4096];
    const ssize_t got =
        ::poll(&ready, 1, 20'000) == 1 ? ::read(output_.get(), buffer, sizeof buffer) : 0;
    if (got <= 0) return "<nothing>";
    read_.append(buffer, static_cast<size_t>(got));
  }
}

void Dialogue::send_signal(int number) { ::kill(child_, number); }

void Dialogue::close_input() { input_ = FileDescriptor(); }
void Dialogue::close_output() { output_ = FileDescriptor(); }

int Dialogue::wait() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace eatt::testing
