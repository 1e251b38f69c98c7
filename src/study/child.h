#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eatt::study {

// A program that runs beside this one. If it still runs when this goes away, it is asked to end and
// waited for; if this program is killed, it is killed too.
class Child {
 public:
  struct Outputs {
    std::filesystem::path result;  // Standard output; replaced.
    std::filesystem::path log;     // Standard error; appended to.
  };
  // Standard input is empty. Throws an Error if the program cannot be started.
  Child(const std::vector<std::string>& words, const Outputs& outputs);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // 0, its exit code, or 128 plus the number of the signal that ended it; nothing while it runs.
  std::optional<int> exit_code();
  void ask_to_end();  // SIGTERM
  int wait();         // For its end.

 private:
  std::optional<int> exit_code_;
  pid_t pid_ = -1;
};

// Why a program failed: the message at the end of its log, or what its exit code says.
std::string failure(const std::filesystem::path& log, int exit_code);

// Runs a command to its end and returns what it printed on standard output, which is kept in a file
// of `folder` meanwhile; preparation.log there has the rest. Throws an Error with its last message
// if it fails.
std::string output_of(const std::vector<std::string>& words, const std::filesystem::path& folder);

// The words as a shell would take them.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace eatt::study
