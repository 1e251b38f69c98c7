#include "serving/api/machine_energy.h"

#include <variant>

namespace eatt::serving {
namespace {

using Clock = std::chrono::steady_clock;

// Counters of a shorter stretch may not have moved.
constexpr std::chrono::seconds kShortest{1};

}  // namespace

MachineEnergy::MachineEnergy() : began_(Clock::now()) {
  if (meter_.unavailable()) return;
  joules_["package"] = 0;
  meter_.start();
}

MachineEnergy::~MachineEnergy() {
  if (!meter_.unavailable()) meter_.finish();
}

std::map<std::string, double> MachineEnergy::joules() {
  const std::lock_guard lock(mutex_);
  if (!meter_.unavailable() && Clock::now() - began_ >= kShortest) add_stretch();
  return joules_;
}

void MachineEnergy::add_stretch() {
  const energy::EnergyResult result = meter_.finish();
  meter_.start();
  began_ = Clock::now();
  const auto* measured = std::get_if<energy::MeasuredEnergy>(&result);
  if (measured == nullptr) return;
  joules_["package"] += measured->package_joules();
  if (const auto dram = measured->dram_joules()) joules_["dram"] += *dram;
}

}  // namespace eatt::serving
