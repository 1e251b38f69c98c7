#include "energy/power_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/error.h"

namespace eatt::energy {
namespace {

constexpr double kMostWatts = 1000;  // Of a domain: twice what the largest packages take.
constexpr double kLongestPause = 10, kShortestPause = 0.001;  // Seconds between samples.

// Counts on while the machine sleeps, unlike steady_clock: a counter may start anew meanwhile.
double boot_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Within this time a domain cannot go through its whole range.
double safe_seconds(const PowerDomain& domain) {
  return 1e-6 * static_cast<double>(domain.range_microjoules) / kMostWatts;
}

// Sum over the domains of a kind; nothing if there are none.
std::optional<double> sum_of(const MeasuredEnergy& energy, PowerDomain::Kind kind) {
  std::optional<double> sum;
  for (const DomainJoules& domain : energy.domains) {
    if (domain.kind == kind) sum = sum.value_or(0) + domain.joules;
  }
  return sum;
}

// What cannot be read is a result here, and no failure of the program.
template <typename Action>
std::optional<Unavailable> attempt(const Action& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return Unavailable{error.what()};
  }
}

}  // namespace

double MeasuredEnergy::package_joules() const {
  return sum_of(*this, PowerDomain::Kind::package).value_or(0);
}

std::optional<double> MeasuredEnergy::dram_joules() const {
  return sum_of(*this, PowerDomain::Kind::dram);
}

PowerMeter::PowerMeter(const std::filesystem::path& root) {
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
  if (failure_) return *failure_;
  MeasuredEnergy energy{.seconds = sampled_at_ - started_at_, .domains = {}};
  for (const auto& [domain, last, microjoules] : counters_) {
    energy.domains.push_back({domain.name, domain.kind, 1e-6 * static_cast<double>(microjoules)});
  }
  return energy;
}

void PowerMeter::sample() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = attempt([&] { read_next(); });
}

void PowerMeter::read_first() {
  for (Counter& counter : counters_) {
    counter.last = read_energy(counter.domain);
    counter.microjoules = 0;
  }
  sampled_at_ = boot_seconds();
}

void PowerMeter::read_next() {
  for (Counter& counter : counters_) {
    const uint64_t now = read_energy(counter.domain);
    counter.microjoules += now >= counter.last
                               ? now - counter.last
                               : counter.domain.range_microjoules - counter.last + now;
    counter.last = now;
  }
  const double now = boot_seconds();
  for (const Counter& counter : counters_) {
    if (now - sampled_at_ <= safe_seconds(counter.domain)) continue;
    throw Error(fmt::format(
        "{}: was not read for {:.3g} s, in which its counter may have wrapped more than once",
        counter.domain.folder.string(), now - sampled_at_));
  }
  sampled_at_ = now;
}

// It takes no signals: who waits for one in another thread must not miss it.
void PowerMeter::start_thread() {
  running_ = true;
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] {
    const std::chrono::duration<double> pause(seconds_between_samples_);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, pause, [this] { return !running_; })) {
      if (!failure_) failure_ = attempt([&] { read_next(); });
    }
  });
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
