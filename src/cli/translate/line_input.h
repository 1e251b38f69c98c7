#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/text_file.h"
#include "text/corpus/line_reader.h"

namespace eatt::cli {

struct InputLine {
  std::string text;     // Valid UTF-8, without its end.
  uint64_t number = 0;  // From 0.
  std::chrono::steady_clock::time_point read_at;
};

// Some consecutive lines of an input, counted from 0.
struct LineRange {
  static constexpr uint64_t kNoEnd = std::numeric_limits<uint64_t>::max();
  uint64_t begin = 0;
  uint64_t end = kNoEnd;  // kNoEnd: all that follow.

  bool is_counted() const { return end != kNoEnd; }
  uint64_t size() const { return end - begin; }
};

// How many lines a file has; nothing for what can be read only once, or not at all. Standard input
// that is a file stays where it is.
std::optional<uint64_t> count_lines(const TextFile& file);

// Part `number` of `count` equal parts of an input, from 1.
struct Shard {
  uint64_t number = 1;
  uint64_t count = 1;
};
// "2/8". Throws a UsageError if it is something else.
Shard parse_shard(const std::string& text);
std::string print_shard(const Shard& shard);

// The lines of a shard: consecutive ones, so that outputs put together are the output for the whole
// input. Throws a UsageError if the lines of the input cannot be counted first. The only shard of
// an input need not be counted.
LineRange lines_of_shard(const TextFile& input, const Shard& shard);

struct WindowOptions {
  size_t lines = 1000;                 // The most that are handed out at once.
  std::chrono::milliseconds wait{10};  // How long the first waits for others.
  LineRange range = {};                // Lines before and after it are not handed out.
};

// Lines of a text in windows, for translating them together. A thread reads on meanwhile, as far as
// two windows or 64 MB ahead: a window is handed out as soon as it is full, its first line has
// waited long enough or the input ends, so that whoever writes a line and waits gets an answer.
// Bytes that are not UTF-8 become U+FFFD; the first line that has some is warned of.
class LineWindows {
 public:
  // Throws an Error if the file cannot be read.
  LineWindows(const TextFile& file, const WindowOptions& options);
  LineWindows(const LineWindows&) = delete;
  LineWindows& operator=(const LineWindows&) = delete;
  ~LineWindows();

  // Replaces `window`; false at the end of the input, or soon after stopped() is true. Throws an
  // Error for what cannot be read, or a line of more than 64 MB, once all lines before it have been
  // handed out.
  bool next(std::vector<InputLine>& window, const std::function<bool()>& stopped);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// The lines of a file that has one for each line of the input.
class CompanionLines {
 public:
  explicit CompanionLines(const std::string& file);

  void skip(uint64_t lines) { reader_.skip(lines); }

  // The next line, its wrong bytes replaced; an Error if the file has fewer lines than the input.
  std::string next();
  // An Error if there is another line.
  void expect_end();

 private:
  LineReader reader_;
};

// Throws an Error if a companion has more or fewer lines than the input, where both are files that
// can be read twice: better before the first line is translated than after.
void expect_as_many_lines(const TextFile& input, const TextFile& companion);

}  // namespace eatt::cli
