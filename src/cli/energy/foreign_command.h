#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program.h"

namespace eatt::cli {

struct Signal {
  int number = 0;
  std::string_view name;  // "SIGTERM"
};

struct CommandEnd {
  int exit_code = 0;
  std::optional<Signal> stopped_by;  // Sent to it, whatever it made of that.
  std::optional<std::string> error;  // Why it could not be started; exit_code is 126 or 127.
};

// Runs commands, and holds back signals while it lives, between commands too: nobody can end this
// process before it has saved what it has. SIGINT, SIGTERM, SIGHUP and SIGQUIT ask to stop; SIGUSR1
// and SIGUSR2 are for the command alone. One that was ignored when this process started stays
// ignored. Signals that nobody took have their effect when the runner is gone.
class CommandRunner {
 public:
  CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;
  ~CommandRunner();

  // Runs a command, found on PATH as in a shell, on our own standard input, output and error, and
  // waits for its end. Signals go to the command; a Ctrl-C at the terminal, which the kernel has
  // sent to both of us, is not sent again.
  CommandEnd run(const std::vector<std::string>& words) const;

  // Waits so long, or until a signal asks to stop, which it takes.
  std::optional<Signal> wait(double seconds) const;

 private:
  CommandEnd wait_for(pid_t child) const;

  sigset_t held_, stopping_;
  sigset_t before_;
  void (*child_handler_)(int) = nullptr;
};

}  // namespace eatt::cli
