#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace eatt {

// "encoding  43% [########          ] 430,000/1,000,000 pairs, 91,000/s, 6 s left" on a terminal,
// redrawn in place. When stderr is not a terminal, the same facts as a log line every ten seconds.
// A total of 0 means unknown: counts and speed only. A job that continues where an earlier run
// stopped gives what was `already_done`, so that speed and time left are those of this run. Safe to
// call from one thread at a time.
class Progress {
 public:
  Progress(std::string task, uint64_t total, std::string unit, uint64_t already_done = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // Erases the bar if finish() was never reached.

  void update(uint64_t done);
  void finish();  // Draws the final state and moves to a fresh line.

  // What a terminal of `columns` would show now; here so that it can be tested.
  std::string line(int columns, double elapsed_seconds) const;

 private:
  using Clock = std::chrono::steady_clock;
  void draw();

  std::string task_;
  std::string unit_;
  uint64_t total_;
  uint64_t already_done_;
  uint64_t done_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_shown_;
};

// 59 s, 3 min 20 s, 2 h 05 min
std::string format_duration(double seconds);

// 1,234,567
std::string format_count(uint64_t count);

}  // namespace eatt
