#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace eatt::energy {

// A counter of energy that Linux shows under /sys/class/powercap (RAPL).
struct PowerDomain {
  enum class Kind { package, dram };

  std::string name;  // "package-0", "dram of package-0": printable and unique.
  Kind kind = Kind::package;
  std::filesystem::path folder;
  uint64_t range_microjoules = 0;  // Beyond it the counter starts again from 0.
};

// EATT_POWERCAP, or /sys/class/powercap.
std::filesystem::path powercap_root();

// The domains that add up to the energy of processors and memory, counting nothing twice: all
// packages, and the dram of each. core and uncore are inside a package, psys contains packages,
// and intel-rapl-mmio shows packages of intel-rapl again. Throws an Error that says why there are
// none, or which zone may be one of them but has no readable name.
std::vector<PowerDomain> find_power_domains(const std::filesystem::path& root);

// Microjoules from some moment on, modulo the range. Throws an Error if they cannot be read; where
// a permission is missing, it says which command grants it.
uint64_t read_energy(const PowerDomain& domain);

struct DomainJoules {
  std::string name;  // As of a PowerDomain.
  PowerDomain::Kind kind = PowerDomain::Kind::package;
  double joules = 0;
};

// Energy of the whole machine, as measured: its counters do not distinguish processes.
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

// Never an estimate, and never only some of the domains: if one is missing, it is unavailable.
using EnergyResult = std::variant<MeasuredEnergy, Unavailable>;

// Keeps counting while the machine sleeps, unlike steady_clock: a counter may restart then.
double boot_seconds();

// Measures energy with RAPL, any number of times, one stretch of time after another.
//
// Counters wrap after minutes at full power. A thread of the meter reads them often enough that no
// domain of up to 1000 W can wrap twice in between. If it cannot do so (a stopped process, a
// sleeping machine), the result is unavailable: a wrap is never missed silently.
//
// Implausible counters are rejected. A result is also unavailable if a domain advanced by more than
// 1000 W allows (a reset, or a step back, looks like a wrap of hundreds of kilojoules), if one did
// not move at all, and if the stretch was too short for the counters to be updated in it.
class PowerMeter {
 public:
  using Clock = std::function<double()>;  // Seconds; also called by the meter's thread.

  explicit PowerMeter(const std::filesystem::path& root = powercap_root(),
                      Clock clock = boot_seconds);
  PowerMeter(const PowerMeter&) = delete;
  PowerMeter& operator=(const PowerMeter&) = delete;
  ~PowerMeter();

  // Why nothing can be measured on this machine; empty if it can.
  const std::optional<Unavailable>& unavailable() const { return unavailable_; }

  void start();
  EnergyResult finish();

  // Reads the counters now, between start() and finish(). The meter's thread does; others need not.
  void sample();

 private:
  struct Counter {
    PowerDomain domain;
    uint64_t last = 0, now = 0;  // As read.
    uint64_t microjoules = 0;
  };

  void read_first();
  void read_next();
  void check_stretch() const;  // Throws an Error if its counters say nothing.
  void start_thread();
  void stop_thread();

  Clock clock_;
  std::optional<Unavailable> unavailable_;
  double seconds_between_samples_ = 0;
  std::thread thread_;
  std::mutex mutex_;  // Of all below.
  std::condition_variable wake_;
  bool running_ = false;
  std::vector<Counter> counters_;
  std::optional<Unavailable> failure_;  // Of this stretch.
  double started_at_ = 0;
  double reading_began_at_ = 0, sampled_at_ = 0;  // Before and after the last sample was read.
};

}  // namespace eatt::energy
