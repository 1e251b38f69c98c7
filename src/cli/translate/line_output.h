#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace eatt::cli {

// Where result lines go: standard output, at once, or a file that appears when all is done.
class LineOutput {
 public:
  virtual ~LineOutput() = default;
  // Whole lines. When it throws, the output still ends with a whole line: what a full disk took of
  // the next one is taken back, if the output is a file.
  virtual void write(std::string_view lines) = 0;
  // After the last line.
  virtual void finish() = 0;
};

// An empty path is standard output. Writing to a pipe that nobody reads any more becomes an Error
// instead of ending the process by a signal.
std::unique_ptr<LineOutput> open_line_output(const std::string& path);

}  // namespace eatt::cli
