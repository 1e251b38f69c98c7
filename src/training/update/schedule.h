#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eatt {

// How the learning rate moves with the update number t, counted from 1.
enum class ScheduleKind {
  paper,  // peak · min(t/warmup, 1, √(decay_start/t)): a plateau between warm-up and decay
  inverse_sqrt,  // peak · min(t/warmup, √(warmup/t))
  linear,        // up to peak at warmup, then straight down to 0 at the last update
  constant,      // peak · min(t/warmup, 1)
};
inline constexpr std::array<std::string_view, 4> kScheduleNames = {"paper", "inverse-sqrt",
                                                                   "linear", "constant"};

struct Schedule {
  ScheduleKind kind = ScheduleKind::paper;
  double peak = 0.001;
  int64_t warmup = 8000;        // Updates; 0 starts at the peak.
  int64_t decay_start = 20000;  // Of `paper`.
  int64_t last_update = 50000;  // Of `linear`.

  double rate(int64_t update) const;
};

}  // namespace eatt
