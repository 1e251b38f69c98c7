#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"

namespace eatt::testing {

// Talks to a program of this build while it runs: its standard input and output are pipes.
class Dialogue {
 public:
  Dialogue(const std::string& program, const std::vector<std::string>& arguments);
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;
  ~Dialogue();  // Kills the program if it is still running.

  void send(std::string_view text);
  // The next line of output without its newline; "<nothing>" after 20 seconds or at the end of
  // output.
  std::string line();
  void send_signal(int number);
  void close_input();
  void close_output();
  // Waits for the program to end and returns its exit code, or 128 + the signal number.
  int wait();

 private:
  FileDescriptor input_, output_;
  std::string read_;
  pid_t child_ = 0;
};

}  // namespace eatt::testing
