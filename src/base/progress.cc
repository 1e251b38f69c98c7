#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/log.h"

namespace eatt {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr auto kLogEvery = std::chrono::seconds(10);

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Progress::Progress(std::string task, uint64_t total, std::string unit, uint64_t already_done)
    : task_(std::move(task)),
      unit_(std::move(unit)),
      total_(total),
      already_done_(already_done),
      done_(already_done),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_shown_(start_) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(uint64_t done) {
  done_ = done;
  const auto now = Clock::now();
  if (now - last_shown_ < (on_terminal_ ? Clock::duration(kRedrawEvery) : kLogEvery)) return;
  last_shown_ = now;
  draw();
}

void Progress::finish() {
  if (on_terminal_) {
    draw();
    std::fputc('\n', stderr);
    drawn_ = false;
  } else {
    draw();
  }
}

void Progress::draw() {
  if (!spdlog::should_log(spdlog::level::info)) return;  // --quiet
  if (on_terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line(terminal_columns() - 1, seconds_since(start_)).c_str());
    std::fflush(stderr);
    drawn_ = true;
  } else {
    spdlog::info("{}", line(0, seconds_since(start_)));
  }
}

std::string Progress::line(int columns, double elapsed_seconds) const {
  const auto done_here = static_cast<double>(done_ - std::min(done_, already_done_));
  const double speed = elapsed_seconds > 0 ? done_here / elapsed_seconds : 0;
  std::string facts = format_count(done_);
  if (total_ > 0) facts += "/" + format_count(total_);
  facts += fmt::format(" {}, {}/s", unit_, format_count(static_cast<uint64_t>(speed)));
  if (total_ == 0) return fmt::format("{}  {}", task_, facts);

  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  if (done_ < total_ && speed > 0) {
    facts += fmt::format(", {} left", format_duration(static_cast<double>(total_ - done_) / speed));
  }
  const std::string head = fmt::format("{} {:3.0f}%", task_, 100 * share);
  const int room = columns - static_cast<int>(head.size() + facts.size()) - 4;
  if (room < 8) return head + " " + facts;
  const int filled = static_cast<int>(share * room);
  return fmt::format("{} [{}{}] {}", head, std::string(static_cast<size_t>(filled), '#'),
                     std::string(static_cast<size_t>(room - filled), ' '), facts);
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string format_count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (auto position = static_cast<int>(digits.size()) - 3; position > 0; position -= 3) {
    digits.insert(static_cast<size_t>(position), ",");
  }
  return digits;
}

}  // namespace eatt
