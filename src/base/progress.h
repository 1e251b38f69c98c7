#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace eatt {

// "encoding  43% [########          ] 430,000/1,000,000 pairs, 91,000/s, 6 s left" on a terminal,
// redrawn in place below the log. Elsewhere the same facts are a log line every ten seconds. Safe
// to call from any thread; one at a time is shown.
class Progress {
 public:
  // Where there is no terminal, or the log is JSON.
  enum class Elsewhere { log_lines, nothing };

  // A total of 0 means unknown: counts and speed only, unless update() gets the share that is done.
  // A job that continues where an earlier run stopped gives what was `already_done`, so that speed
  // and time left are those of this run.
  Progress(std::string task, uint64_t total, std::string unit, uint64_t already_done = 0,
           Elsewhere elsewhere = Elsewhere::log_lines);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // Erases the bar if finish() was never reached.

  // The share, 0 to 1, that an earlier run had done, where no total says it.
  void resume_at(double share) { first_share_ = share; }

  void update(uint64_t done);
  // `share` of the work is done, which need not be done / total.
  void update(uint64_t done, double share);
  // The same, shown at once. Returns the seconds left that the bar now shows, for callers that
  // print them elsewhere too; nothing if there is no estimate yet.
  std::optional<double> update_now(uint64_t done, double share);

  void finish();  // Draws the final state and moves to a fresh line.

  // What `columns` have room for: the bar, the speed and the counts are left out in turn. 0 is a
  // log line: all of them but the bar. Here so that it can be tested.
  std::string line(int columns, double elapsed_seconds) const;

 private:
  using Clock = std::chrono::steady_clock;
  // The caller holds the mutex.
  void draw(double elapsed_seconds);
  double elapsed_seconds() const;
  double share_of(uint64_t done) const;
  std::optional<double> seconds_left(double elapsed_seconds) const;

  const std::string task_;
  const std::string unit_;
  const uint64_t total_;
  const uint64_t already_done_;
  const Elsewhere elsewhere_;
  const bool on_terminal_;
  const Clock::time_point start_;

  std::mutex mutex_;  // Of what follows.
  uint64_t done_;
  double share_;
  double first_share_;
  bool drawn_ = false;
  Clock::time_point last_shown_;
};

// 59 s, 3 min 20 s, 2 h 05 min
std::string format_duration(double seconds);

// 1,234,567
std::string format_count(uint64_t count);

// 1 thread, 2 threads, 1,234 pairs: the noun is given as for one.
std::string format_count(uint64_t count, std::string_view noun);

}  // namespace eatt
