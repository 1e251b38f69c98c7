#include "cli/translate/line_input.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/text/utf8.h"
#include "base/threads.h"
#include "text/corpus/preparation_folder.h"

namespace eatt::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;
constexpr size_t kMaxCompanionBytes = size_t{1} << 20;
constexpr size_t kMaxWaitingBytes = size_t{64} << 20;

// How often somebody who waits for lines looks whether to stop.
constexpr std::chrono::milliseconds kLookForStop{100};

using Clock = std::chrono::steady_clock;

}  // namespace

// What the reading thread and the taker share. The thread owns a part of it: nothing ends a read
// from a pipe that stays silent, so a taker that leaves early does not wait for the thread.
struct LineWindows::Shared {
  Shared(const TextFile& file, const WindowOptions& window_options)
      : options(window_options), reader(file, kMaxLineBytes) {}

  void read_all();
  InputLine read_line(const LineReader::Line& line);
  bool window_ready() const {
    return ended || waiting.size() >= options.lines || waiting_bytes >= kMaxWaitingBytes;
  }
  bool has_room() const {
    return abandoned || (waiting.size() < 2 * options.lines && waiting_bytes < kMaxWaitingBytes);
  }

  const WindowOptions options;
  LineReader reader;
  bool warned = false;

  std::mutex mutex;
  std::condition_variable came, taken;
  std::deque<InputLine> waiting;
  size_t waiting_bytes = 0;
  bool ended = false;
  bool abandoned = false;
  std::exception_ptr failure;
};

InputLine LineWindows::Shared::read_line(const LineReader::Line& line) {
  if (line.too_long) {
    throw Error(fmt::format("{}: line {} has {} bytes, more than {}; split it", reader.name(),
                            reader.number(), line.size, kMaxLineBytes));
  }
  InputLine input{std::string(line.text), reader.number() - 1, Clock::now()};
  const bool is_binary = input.text.find('\0') != input.text.npos;
  const bool is_valid = is_valid_utf8(input.text);
  if (is_valid && !is_binary) return input;
  if (!warned && is_binary) {
    spdlog::warn("{}: line {} has a NUL byte; {}", reader.name(), reader.number(),
                 conversion_advice(reader.name(), input.text));
  } else if (!warned) {
    spdlog::warn(
        "{}: line {} is not valid UTF-8; invalid bytes become U+FFFD, here and in all other lines; "
        "better {}",
        reader.name(), reader.number(), conversion_advice(reader.name(), ""));
  }
  warned = true;
  if (!is_valid) input.text = replace_invalid_utf8(input.text);
  return input;
}

void LineWindows::Shared::read_all() {
  try {
    if (reader.skip(options.range.begin) < options.range.begin) {
      throw Error(fmt::format("{}: has {}, but {} are already translated; is it another text?",
                              reader.name(), format_count(reader.number(), "line"),
                              format_count(options.range.begin)));
    }
    for (LineReader::Line line; reader.number() < options.range.end && reader.next(line);) {
      InputLine input = read_line(line);
      std::unique_lock lock(mutex);
      taken.wait(lock, [&] { return has_room(); });
      if (abandoned) return;
      waiting_bytes += input.text.size();
      waiting.push_back(std::move(input));
      if (waiting.size() == 1 || window_ready()) came.notify_one();
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex);
  ended = true;
  came.notify_one();
}

LineWindows::LineWindows(const TextFile& file, const WindowOptions& options)
    : shared_(std::make_shared<Shared>(file, options)) {
  start_thread([shared = shared_] { shared->read_all(); }).detach();
}

LineWindows::~LineWindows() {
  const std::lock_guard lock(shared_->mutex);
  shared_->abandoned = true;
  shared_->taken.notify_one();
}

bool LineWindows::next(std::vector<InputLine>& window, const std::function<bool()>& stopped) {
  Shared& shared = *shared_;
  window.clear();
  std::unique_lock lock(shared.mutex);
  const auto has_lines = [&] { return shared.ended || !shared.waiting.empty(); };
  while (!shared.came.wait_for(lock, kLookForStop, has_lines)) {
    if (stopped()) return false;
  }
  if (stopped()) return false;
  if (!shared.waiting.empty()) {
    const auto deadline = shared.waiting.front().read_at + shared.options.wait;
    shared.came.wait_until(lock, deadline, [&] { return shared.window_ready(); });
  }
  while (!shared.waiting.empty() && window.size() < shared.options.lines) {
    window.push_back(std::move(shared.waiting.front()));
    shared.waiting_bytes -= window.back().text.size();
    shared.waiting.pop_front();
  }
  shared.taken.notify_one();
  if (window.empty() && shared.failure) std::rethrow_exception(shared.failure);
  return !window.empty();
}

namespace {

bool is_file(const TextFile& file) {
  struct stat info {};
  if (file.path != "-") return ::stat(file.path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  const bool from_its_start = ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  return ::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) && from_its_start;
}

}  // namespace

// A gigabyte a second, so it takes no time beside translating. What cannot be read is reported
// where it is translated.
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

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/') {
    const auto count = std::from_chars(number.ptr + 1, end, shard.count);
    const bool is_number = count.ec == std::errc() && count.ptr == end;
    if (is_number && shard.number >= 1 && shard.number <= shard.count && shard.count <= 1'000'000) {
      return shard;
    }
  }
  refuse_value("--shard", text, "the number of a part and how many there are, from 1/8 to 8/8");
}

std::string print_shard(const Shard& shard) {
  return fmt::format("{}/{}", shard.number, shard.count);
}

LineRange lines_of_shard(const TextFile& input, const Shard& shard) {
  const auto lines = count_lines(input);
  if (!lines && shard.count > 1) {
    throw UsageError(fmt::format(
        "--shard needs a file, whose lines can be counted, but {} cannot be read twice; give one "
        "with -i FILE, or split the stream itself, for example with GNU parallel --pipe",
        input.name));
  }
  if (!lines) return {};
  const auto up_to = [&](uint64_t part) {
    // Without overflow: lines = count * whole + rest.
    return *lines / shard.count * part + *lines % shard.count * part / shard.count;
  };
  return {up_to(shard.number - 1), up_to(shard.number)};
}

CompanionLines::CompanionLines(const std::string& file) : reader_(file, kMaxCompanionBytes) {}

std::string CompanionLines::next() {
  LineReader::Line line;
  if (!reader_.next(line)) {
    throw Error(fmt::format("{}: has {}, the input has more; expected one for each", reader_.name(),
                            format_count(reader_.number(), "line")));
  }
  if (line.too_long) {
    throw Error(fmt::format("{}: line {} has {} bytes, more than {}; shorten it", reader_.name(),
                            reader_.number(), line.size, kMaxCompanionBytes));
  }
  return replace_invalid_utf8(line.text);
}

void CompanionLines::expect_end() {
  LineReader::Line line;
  const uint64_t expected = reader_.number();
  if (!reader_.next(line)) return;
  throw Error(fmt::format("{}: has more lines than the input, which has {}; expected one for each",
                          reader_.name(), expected));
}

void expect_as_many_lines(const TextFile& input, const TextFile& companion) {
  if (is_read_once(input) || is_read_once(companion)) return;
  const auto count = [](const TextFile& file) {
    return LineReader(file, kMaxLineBytes).skip(std::numeric_limits<uint64_t>::max());
  };
  const uint64_t expected = count(input), found = count(companion);
  if (found == expected) return;
  throw Error(fmt::format("{}: has {}, but {} has {}; expected one for each", companion.name,
                          format_count(found, "line"), input.name, format_count(expected)));
}

}  // namespace eatt::cli
