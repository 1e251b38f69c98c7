#include "training/update/schedule.h"

#include <algorithm>
#include <cmath>

namespace eatt {

double Schedule::rate(int64_t update) const {
  const auto t = static_cast<double>(std::max<int64_t>(update, 1));
  const double climb = warmup > 0 ? std::min(t / static_cast<double>(warmup), 1.0) : 1.0;
  switch (kind) {
    case ScheduleKind::paper:
      return peak * std::min(climb, std::sqrt(static_cast<double>(decay_start) / t));
    case ScheduleKind::inverse_sqrt:
      return peak *
             std::min(climb, std::sqrt(static_cast<double>(std::max<int64_t>(warmup, 1)) / t));
    case ScheduleKind::linear: {
      const auto span = static_cast<double>(std::max<int64_t>(last_update - warmup, 1));
      const double left = (static_cast<double>(last_update) - t) / span;
      return peak * std::min(climb, std::clamp(left, 0.0, 1.0));
    }
    case ScheduleKind::constant:
      break;
  }
  return peak * climb;
}

}  // namespace eatt
