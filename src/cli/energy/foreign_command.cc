#include "cli/energy/foreign_command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "base/error.h"

namespace eatt::cli {
namespace {

constexpr std::array kStopping = {Signal{SIGINT, "SIGINT"}, Signal{SIGTERM, "SIGTERM"},
                                  Signal{SIGHUP, "SIGHUP"}, Signal{SIGQUIT, "SIGQUIT"}};

std::optional<Signal> stopping(int number) {
  const auto found = std::find_if(kStopping.begin(), kStopping.end(),
                                  [&](const Signal& signal) { return signal.number == number; });
  if (found == kStopping.end()) return std::nullopt;
  return *found;
}

// nohup, and a shell that starts something in the background, ignore signals for what they start.
// One that is ignored is never held, for then it would be seen.
void add_unless_ignored(int signal, sigset_t& set) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  if (action.sa_handler != SIG_IGN) sigaddset(&set, signal);
}

timespec to_timespec(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<long>(1e9 * (seconds - whole))};
}

// Returns 0 or an error number.
int spawn(const std::vector<std::string>& words, const sigset_t& mask, pid_t& child) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  const int error = ::posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

CommandRunner::CommandRunner() {
  sigemptyset(&stopping_);
  for (const Signal& signal : kStopping) add_unless_ignored(signal.number, stopping_);
  held_ = stopping_;
  for (const int signal : {SIGUSR1, SIGUSR2}) add_unless_ignored(signal, held_);
  sigaddset(&held_, SIGCHLD);
  child_handler_ = std::signal(SIGCHLD, SIG_DFL);  // A parent may have left it ignored.
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

CommandRunner::~CommandRunner() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  std::signal(SIGCHLD, child_handler_);
}

CommandEnd CommandRunner::run(const std::vector<std::string>& words) const {
  expects(!words.empty(), "a command has a name");
  pid_t child = 0;
  if (const int error = spawn(words, before_, child); error != 0) {
    return {.exit_code = error == ENOENT ? kNotFound : kNotExecutable,
            .stopped_by = std::nullopt,
            .error = fmt::format("{}: cannot be started: {}", words[0], system_message(error))};
  }
  return wait_for(child);
}

CommandEnd CommandRunner::wait_for(pid_t child) const {
  CommandEnd end;
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&held_, &info);
    if (signal == SIGCHLD) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) != child) continue;
      end.exit_code = WIFSIGNALED(status) ? kEndedBySignal + WTERMSIG(status) : WEXITSTATUS(status);
      return end;
    }
    if (signal < 0) continue;  // Interrupted, as by a debugger.
    if (!end.stopped_by) end.stopped_by = stopping(signal);
    if (info.si_code != SI_KERNEL) ::kill(child, signal);
  }
}

std::optional<Signal> CommandRunner::wait(double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const std::chrono::duration<double> rest = end - Clock::now();
    const timespec timeout = to_timespec(std::max(rest.count(), 0.0));
    const int signal = ::sigtimedwait(&stopping_, nullptr, &timeout);
    if (signal > 0) return stopping(signal);
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace eatt::cli
