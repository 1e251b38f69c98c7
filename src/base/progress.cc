#include "base/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace eatt {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr auto kLogEvery = std::chrono::seconds(10);
constexpr int kShortestBar = 10;

// 0.42/s, 1.6/s, 91,000/s
std::string format_speed(double speed) {
  if (speed < 10) return fmt::format("{:.2g}/s", speed);
  return format_count(static_cast<uint64_t>(speed)) + "/s";
}

}  // namespace

Progress::Progress(std::string task, uint64_t total, std::string unit, uint64_t already_done,
                   Elsewhere elsewhere)
    : task_(std::move(task)),
      unit_(std::move(unit)),
      total_(total),
      already_done_(already_done),
      elsewhere_(elsewhere),
      on_terminal_(shows_status()),
      start_(Clock::now()),
      done_(already_done),
      share_(share_of(already_done)),
      first_share_(share_),
      last_shown_(start_) {}

Progress::~Progress() {
  if (drawn_) end_status();
}

void Progress::update(uint64_t done) { update(done, share_of(done)); }

void Progress::update(uint64_t done, double share) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  share_ = share;
  const auto now = Clock::now();
  if (now - last_shown_ < (on_terminal_ ? Clock::duration(kRedrawEvery) : kLogEvery)) return;
  last_shown_ = now;
  draw(elapsed_seconds());
}

std::optional<double> Progress::update_now(uint64_t done, double share) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  share_ = share;
  last_shown_ = Clock::now();
  const double elapsed = elapsed_seconds();
  draw(elapsed);
  return seconds_left(elapsed);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (!on_terminal_) return draw(elapsed_seconds());
  keep_status(line(status_columns(), elapsed_seconds()));
  drawn_ = false;
}

void Progress::draw(double elapsed_seconds) {
  if (on_terminal_) {
    show_status(line(status_columns(), elapsed_seconds));
    drawn_ = true;
  } else if (elsewhere_ == Elsewhere::log_lines) {
    spdlog::info("{}", line(0, elapsed_seconds));
  }
}

double Progress::elapsed_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::share_of(uint64_t done) const {
  return total_ == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
}

std::optional<double> Progress::seconds_left(double elapsed_seconds) const {
  if (share_ <= first_share_ || elapsed_seconds <= 0) return std::nullopt;
  return (1 - share_) * elapsed_seconds / (share_ - first_share_);
}

std::string Progress::line(int columns, double elapsed_seconds) const {
  const auto done_here = static_cast<double>(done_ - std::min(done_, already_done_));
  const double speed = elapsed_seconds > 0 ? done_here / elapsed_seconds : 0;
  const std::string count = format_count(done_) + (total_ > 0 ? "/" + format_count(total_) : "");
  const std::string counted = fmt::format("{} {}", count, unit_);
  const std::string timed = fmt::format("{}, {}", counted, format_speed(speed));
  if (total_ == 0 && share_ == 0) return fmt::format("{}  {}", task_, timed);

  const auto left = seconds_left(elapsed_seconds);
  const std::string ending =
      left && share_ < 1 ? fmt::format(", {} left", format_duration(*left)) : "";
  // 100% only when all is done.
  const std::string head = fmt::format("{} {:3}%", task_, static_cast<int>(100 * share_ + 1e-9));
  const auto room = [&](const std::string& facts) {  // For a bar between head and facts.
    return columns - static_cast<int>(head.size() + facts.size()) - 4;
  };
  if (columns == 0) return fmt::format("{} {}{}", head, timed, ending);
  for (const std::string& facts : {timed + ending, counted + ending}) {
    if (room(facts) < kShortestBar) continue;
    const auto bar = static_cast<size_t>(room(facts));
    const auto filled = static_cast<size_t>(share_ * static_cast<double>(bar));
    return fmt::format("{} [{}{}] {}", head, std::string(filled, '#'),
                       std::string(bar - filled, ' '), facts);
  }
  for (const std::string& text : {fmt::format("{} {}{}", head, counted, ending), head + ending}) {
    if (static_cast<int>(text.size()) <= columns) return text;
  }
  return head.substr(0, static_cast<size_t>(columns));
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
    digits.insert(static_cast<size_t>(position), 1, ',');
  }
  return digits;
}

std::string format_count(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace eatt
