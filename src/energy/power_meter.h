#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "energy/powercap.h"

namespace eatt::energy {

struct DomainJoules {
  std::string name;  // As of a PowerDomain.
  PowerDomain::Kind kind = PowerDomain::Kind::package;
  double joules = 0;
};

// What counters of the machine saw. Of the whole machine: they do not know processes.
struct MeasuredEnergy {
  double seconds = 0;
  std::vector<DomainJoules> domains;  // At least one package.

  double package_joules() const;
  std::optional<double> dram_joules() const;  // Nothing where memory has no counter.
  double joules() const { return package_joules() + dram_joules().value_or(0); }
};

struct Unavailable {
  std::string reason;
};

// Never an estimate, and never a part of the domains: all were read, or it is unavailable.
using EnergyResult = std::variant<MeasuredEnergy, Unavailable>;

// Measures energy by RAPL, as often as wanted, one stretch at a time.
//
// Counters wrap after minutes at full power. A thread of the meter reads them often enough that no
// domain of up to 1000 W can wrap twice in between. Should it be kept from that (a stopped process,
// a sleeping machine), the result is unavailable: a wrap is never missed silently.
class PowerMeter {
 public:
  explicit PowerMeter(const std::filesystem::path& root = powercap_root());
  PowerMeter(const PowerMeter&) = delete;
  PowerMeter& operator=(const PowerMeter&) = delete;
  ~PowerMeter();

  // Why nothing can be measured on this machine; nothing if it can.
  const std::optional<Unavailable>& unavailable() const { return unavailable_; }

  void start();
  EnergyResult finish();

  // Reads the counters now, between start() and finish(). The thread does; others need not.
  void sample();

 private:
  struct Counter {
    PowerDomain domain;
    uint64_t last = 0;  // As read.
    uint64_t microjoules = 0;
  };

  void read_first();
  void read_next();
  void start_thread();
  void stop_thread();

  std::optional<Unavailable> unavailable_;
  double seconds_between_samples_ = 0;
  std::thread thread_;
  std::mutex mutex_;  // Of all below.
  std::condition_variable wake_;
  bool running_ = false;
  std::vector<Counter> counters_;
  std::optional<Unavailable> failure_;  // Of this stretch.
  double started_at_ = 0, sampled_at_ = 0;
};

}  // namespace eatt::energy
