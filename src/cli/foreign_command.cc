#include "cli/foreign_command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/error.h"

namespace eatt::cli {
namespace {

sigset_t signals_of_interest() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) {
    sigaddset(&set, signal);
  }
  return set;
}

// Holds back signals, for wait_for() to take them one by one. From before the start, so that none
// gets lost in between.
class HeldSignals {
 public:
  HeldSignals() : set_(signals_of_interest()) {
    child_handler_ = std::signal(SIGCHLD, SIG_DFL);  // A parent may have left it ignored.
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    std::signal(SIGCHLD, child_handler_);
  }

  const sigset_t& before() const { return before_; }

  CommandEnd wait_for(pid_t child) const {
    CommandEnd end;
    for (;;) {
      siginfo_t info{};
      const int signal = ::sigwaitinfo(&set_, &info);
      if (signal == SIGCHLD) {
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) != child) continue;
        end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        return end;
      }
      if (signal < 0) continue;  // Interrupted, as by a debugger.
      end.stopped = end.stopped || (signal != SIGUSR1 && signal != SIGUSR2);
      if (info.si_code != SI_KERNEL) ::kill(child, signal);
    }
  }

 private:
  sigset_t set_;
  sigset_t before_{};
  void (*child_handler_)(int) = SIG_DFL;
};

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

CommandEnd run_command(const std::vector<std::string>& words) {
  expects(!words.empty(), "a command has a name");
  const HeldSignals signals;
  pid_t child = 0;
  if (const int error = spawn(words, signals.before(), child); error != 0) {
    return {.exit_code = error == ENOENT ? kNotFound : kNotExecutable,
            .stopped = false,
            .error = fmt::format("{}: cannot be started: {}", words[0], system_message(error))};
  }
  return signals.wait_for(child);
}

}  // namespace eatt::cli
