#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "serving/engine/engine.h"

namespace eatt::serving {

// What GET /metrics tells: Prometheus' text format. Any thread may call it.
class Metrics {
 public:
  void request_done(int status, double seconds);
  void request_refused(int status);  // Before it was complete, so that it took no time.
  void energy_counted(const std::string& chip, double joules);

  // What is read elsewhere, at the moment.
  struct Gauges {
    EngineStatus engines;  // Of all models, added up, with those that were replaced.
    std::map<std::string, double> measured_joules;  // Of the machine, by domain.
    std::string version;
  };
  std::string text(const Gauges& now) const;

 private:
  // Upper bounds in seconds.
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                         0.5,   1.0,  2.5,   5.0,  10.0, 30.0};

  mutable std::mutex mutex_;
  std::map<int, uint64_t> requests_;  // By status.
  std::array<uint64_t, kBounds.size() + 1> durations_{};
  double seconds_ = 0;
  std::map<std::string, double> joules_;  // By chip.
};

// Adds up two of them.
EngineStatus sum_of(const EngineStatus& a, const EngineStatus& b);

}  // namespace eatt::serving
