#include "cli/translate/line_output.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/error.h"
#include "base/files/atomic_file.h"

namespace eatt::cli {
namespace {

class StandardOutput : public LineOutput {
 public:
  StandardOutput() { std::signal(SIGPIPE, SIG_IGN); }

  void write(std::string_view lines) override {
    std::string_view rest = lines;
    while (!rest.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) {
        wait_for_room();
        continue;
      }
      if (written < 0) {
        const int error_number = errno;
        take_back_part_of_line(lines.substr(0, lines.size() - rest.size()));
        throw Error(
            fmt::format("standard output: cannot be written: {}", system_message(error_number)));
      }
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

  void finish() override {}

 private:
  // Whoever gave us the output may have made it non-blocking.
  static void wait_for_room() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    ::poll(&output, 1, -1);
  }

  // A pipe or terminal keeps what it got; a file can be cut where its last whole line ends.
  static void take_back_part_of_line(std::string_view written) {
    const size_t last_end = written.rfind('\n');
    const size_t whole = last_end == written.npos ? 0 : last_end + 1;
    struct stat status {};
    if (whole == written.size() || ::fstat(STDOUT_FILENO, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      return;
    }
    const auto part = static_cast<off_t>(written.size() - whole);
    if (::lseek(STDOUT_FILENO, 0, SEEK_CUR) != status.st_size) return;  // Others write there too.
    if (::ftruncate(STDOUT_FILENO, status.st_size - part) == 0) ::lseek(STDOUT_FILENO, 0, SEEK_END);
  }
};

class FileOutput : public LineOutput {
 public:
  explicit FileOutput(const std::string& path) : file_(path) {}
  void write(std::string_view lines) override { file_.write(lines); }
  void finish() override { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace

std::unique_ptr<LineOutput> open_line_output(const std::string& path) {
  if (path.empty()) return std::make_unique<StandardOutput>();
  return std::make_unique<FileOutput>(path);
}

}  // namespace eatt::cli
