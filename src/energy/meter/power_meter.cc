#include "energy/meter/power_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/error.h"
#include "base/text/utf8.h"
#include "base/threads.h"

namespace eatt::energy {
namespace {

constexpr double kMostWatts = 1000;  // Per domain: twice the power of the largest packages.
constexpr double kLongestPause = 10, kShortestPause = 0.001;  // Seconds between samples.

// Processors update their counters about every millisecond.
constexpr double kUpdateSeconds = 0.001;
// How much earlier energy an update may include if it comes late or updates come in bursts.
constexpr double kLateSeconds = 0.01;
// Within this time the counter of a domain that uses any power moves (in steps of about 100 µJ).
constexpr double kUnmovedSeconds = 0.1;

// Within this time the counter cannot wrap around.
double safe_seconds(const PowerDomain& domain) {
  return 1e-6 * static_cast<double>(domain.range_microjoules) / kMostWatts;
}

std::string described(const PowerDomain& domain) {
  return fmt::format("{} ({})", domain.folder.string(), domain.name);
}

// Microjoules between two readings that are at most `seconds` apart.
uint64_t difference(const PowerDomain& domain, uint64_t last, uint64_t now, double seconds) {
  if (seconds > safe_seconds(domain)) {
    throw Error(fmt::format(
        "{}: was not read for {:.3g} s, in which its counter may have wrapped more than once",
        described(domain), seconds));
  }
  const uint64_t passed = now >= last ? now - last : domain.range_microjoules - last + now;
  if (1e-6 * static_cast<double>(passed) > kMostWatts * (seconds + kLateSeconds)) {
    throw Error(
        fmt::format("{}: its counter went from {} to {} µJ in {:.3g} s, which would be more than "
                    "{:g} W; it was reset, or does not work",
                    described(domain), last, now, seconds, kMostWatts));
  }
  return passed;
}

// Sum over the domains of a kind; nothing if there are none.
std::optional<double> sum_of(const MeasuredEnergy& energy, PowerDomain::Kind kind) {
  std::optional<double> sum;
  for (const DomainJoules& domain : energy.domains) {
    if (domain.kind == kind) sum = sum.value_or(0) + domain.joules;
  }
  return sum;
}

// A counter that cannot be read is a result here, not a failure of the program.
template <typename Action>
std::optional<Unavailable> attempt(const Action& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return Unavailable{printable(error.what())};
  }
}

}  // namespace

double MeasuredEnergy::package_joules() const {
  return sum_of(*this, PowerDomain::Kind::package).value_or(0);
}

std::optional<double> MeasuredEnergy::dram_joules() const {
  return sum_of(*this, PowerDomain::Kind::dram);
}

double boot_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

PowerMeter::PowerMeter(const std::filesystem::path& root, Clock clock) : clock_(std::move(clock)) {
  unavailable_ = attempt([&] {
    for (PowerDomain& domain : find_power_domains(root)) counters_.push_back({std::move(domain)});
    for (Counter& counter : counters_) counter.last = read_energy(counter.domain);
  });
  seconds_between_samples_ = kLongestPause;
  for (const Counter& counter : counters_) {
    seconds_between_samples_ = std::min(seconds_between_samples_, safe_seconds(counter.domain) / 2);
  }
  seconds_between_samples_ = std::max(seconds_between_samples_, kShortestPause);
}

PowerMeter::~PowerMeter() { stop_thread(); }

void PowerMeter::start() {
  if (unavailable_) return;
  expects(!running_, "a stretch is finished before the next");
  failure_ = attempt([&] { read_first(); });
  started_at_ = sampled_at_;
  if (!failure_) start_thread();
}

EnergyResult PowerMeter::finish() {
  if (unavailable_) return *unavailable_;
  expects(running_ || failure_, "a stretch is started before it is finished");
  if (running_) sample();
  stop_thread();
  if (!failure_) failure_ = attempt([&] { check_stretch(); });
  if (failure_) return *failure_;
  MeasuredEnergy energy{.seconds = sampled_at_ - started_at_, .domains = {}};
  for (const Counter& counter : counters_) {
    energy.domains.push_back({counter.domain.name, counter.domain.kind,
                              1e-6 * static_cast<double>(counter.microjoules)});
  }
  return energy;
}

void PowerMeter::sample() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = attempt([&] { read_next(); });
}

void PowerMeter::read_first() {
  reading_began_at_ = clock_();
  for (Counter& counter : counters_) {
    counter.last = read_energy(counter.domain);
    counter.microjoules = 0;
  }
  sampled_at_ = clock_();
}

void PowerMeter::read_next() {
  const double began_at = clock_();
  for (Counter& counter : counters_) counter.now = read_energy(counter.domain);
  sampled_at_ = clock_();
  for (Counter& counter : counters_) {
    counter.microjoules +=
        difference(counter.domain, counter.last, counter.now, sampled_at_ - reading_began_at_);
    counter.last = counter.now;
  }
  reading_began_at_ = began_at;
}

void PowerMeter::check_stretch() const {
  const double seconds = sampled_at_ - started_at_;
  if (seconds < kUpdateSeconds) {
    throw Error(fmt::format(
        "{:.3g} s is too short for counters that are updated every {:g} s; measure for longer",
        seconds, kUpdateSeconds));
  }
  for (const Counter& counter : counters_) {
    if (counter.microjoules > 0) continue;
    if (seconds < kUnmovedSeconds) {
      throw Error(fmt::format(
          "{}: {:.3g} s is too short for its counter, which did not move; measure for {:g} s or "
          "longer",
          described(counter.domain), seconds, kUnmovedSeconds));
    }
    throw Error(fmt::format("{}: its counter does not move: it stayed at {} µJ for {:.3g} s",
                            described(counter.domain), counter.last, seconds));
  }
}

// Blocks all signals, so that another thread that waits for one does not miss it.
void PowerMeter::start_thread() {
  running_ = true;
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto sample = [this] {
    const std::chrono::duration<double> pause(seconds_between_samples_);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, pause, [this] { return !running_; })) {
      if (!failure_) failure_ = attempt([&] { read_next(); });
    }
  };
  try {
    thread_ = eatt::start_thread(sample);
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void PowerMeter::stop_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace eatt::energy
