#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "energy/meter/power_meter.h"
#include "runtime/api/translator.h"

namespace eatt::cli {

// Durations, counted in steps of 2 %: any number of them in little memory.
class LatencyHistogram {
 public:
  void add(double milliseconds);
  // The least duration that `share` of all do not exceed, to 2 %; 0 if there are none.
  double percentile(double share) const;

 private:
  static constexpr double kLeast = 1e-3;
  static constexpr double kStep = 1.02;
  std::array<uint64_t, 1400> counts_{};  // Up to 18 minutes; longer ones count as that.
  uint64_t total_ = 0;
};

// What --stats tells.
class TranslateStats {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TranslateStats(bool measures_energy) {
    if (measures_energy) meter_.emplace();
  }

  // Ready to translate: what was before counts as loading.
  void loaded();
  void add(const Translation& translation, Clock::duration latency);

  uint64_t sentences() const { return sentences_; }
  // All is translated: what comes now no longer counts.
  void finished();
  // Of what is finished.
  std::string as_text() const;
  std::string as_json() const;

 private:
  double seconds() const {
    return std::chrono::duration<double>(finished_at_ - loaded_at_).count();
  }
  double load_seconds() const {
    return std::chrono::duration<double>(loaded_at_ - started_at_).count();
  }

  Clock::time_point started_at_ = Clock::now();
  Clock::time_point loaded_at_ = started_at_;
  Clock::time_point finished_at_ = started_at_;
  uint64_t sentences_ = 0, source_pieces_ = 0, target_pieces_ = 0;
  LatencyHistogram latency_;
  std::optional<energy::PowerMeter> meter_;
  energy::EnergyResult energy_ = energy::Unavailable{"it was not measured"};
};

// VmHWM: the most memory that was resident so far; 0 if the system does not tell.
uint64_t peak_memory_bytes();

}  // namespace eatt::cli
