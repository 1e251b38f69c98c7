#pragma once

#include <optional>
#include <string>
#include <vector>

namespace eatt::cli {

// Exit codes that shells give for a command that cannot be run.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

struct CommandEnd {
  int exit_code = 0;     // 128 + its number if a signal ended it.
  bool stopped = false;  // SIGINT, SIGTERM, SIGHUP or SIGQUIT came, whatever it made of that.
  std::optional<std::string> error;  // Why it could not be started; exit_code is 126 or 127.
};

// Runs a command, found on PATH as in a shell, on our own standard input, output and error, and
// waits for its end. Meanwhile SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 go to the
// command, and not to us; a Ctrl-C at the terminal, which the kernel has sent to both of us, is not
// sent again.
CommandEnd run_command(const std::vector<std::string>& words);

}  // namespace eatt::cli
