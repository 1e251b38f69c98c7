#include "cli/translate/translate_progress.h"

#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/log.h"
#include "text/corpus/line_reader.h"

namespace eatt::cli {
namespace {

bool is_file(const TextFile& file) {
  struct stat info {};
  if (file.path != "-") return ::stat(file.path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  const bool from_its_start = ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  return ::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) && from_its_start;
}

// A gigabyte a second, so it takes no time beside translating. Nothing for what can be read only
// once, or not at all: that is reported where it is translated.
std::optional<uint64_t> count_lines(const TextFile& file) {
  if (!is_file(file)) return std::nullopt;
  try {
    // Opened once more, so that standard input stays where it is.
    LineReader reader(file.path == "-" ? "/dev/stdin" : file.path, /*max_line_bytes=*/0);
    return reader.skip(std::numeric_limits<uint64_t>::max());
  } catch (const Error&) {
    return std::nullopt;
  }
}

// 0 if one of them cannot be counted.
uint64_t count_all_lines(const std::vector<std::string>& files) {
  uint64_t sum = 0;
  for (const std::string& file : files) {
    const auto lines = count_lines(file);
    if (!lines) return 0;
    sum += *lines;
  }
  return sum;
}

}  // namespace

TranslateProgress::TranslateProgress(const std::vector<std::string>& inputs, bool prints_to_stdout)
    : wanted_(shows_status() && !(prints_to_stdout && ::isatty(STDOUT_FILENO) == 1)),
      total_(wanted_ ? count_all_lines(inputs) : 0) {}

void TranslateProgress::start() {
  if (wanted_ && !bar_) bar_.emplace("translating", total_, "lines");
}

void TranslateProgress::begin_window(size_t lines) { window_ = lines; }

void TranslateProgress::within_window(size_t done, size_t all) {
  if (bar_ && all > 0) bar_->update(lines_ + window_ * done / all);
}

void TranslateProgress::end_window() {
  lines_ += window_;
  if (bar_) bar_->update(lines_);
}

void TranslateProgress::finish() {
  if (bar_) bar_->finish();
}

}  // namespace eatt::cli
