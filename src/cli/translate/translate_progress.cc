#include "cli/translate/translate_progress.h"

#include <unistd.h>

#include "base/files/text_file.h"
#include "base/log.h"

namespace eatt::cli {
namespace {

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

TranslateProgress::TranslateProgress(const std::vector<std::string>& inputs, const Shard& shard,
                                     bool prints_to_stdout)
    : wanted_(shows_status() && !(prints_to_stdout && ::isatty(STDOUT_FILENO) == 1)) {
  if (!wanted_) return;
  total_ = shard.count > 1 ? lines_of_shard(inputs.front(), shard).size() : count_all_lines(inputs);
}

void TranslateProgress::start(uint64_t lines_done) {
  lines_ += lines_done;
  if (wanted_ && !bar_) bar_.emplace("translating", total_, "lines", lines_);
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
