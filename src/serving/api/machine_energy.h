#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "energy/meter/power_meter.h"

namespace eatt::serving {

// Energy of the whole machine since the server began, as its counters (RAPL) measure it. Any thread
// may call it.
class MachineEnergy {
 public:
  MachineEnergy();
  ~MachineEnergy();

  // By domain: "package", and "dram" where it has a counter. Empty where nothing can be measured. A
  // stretch in which a counter failed is left out.
  std::map<std::string, double> joules();

 private:
  void add_stretch();

  std::mutex mutex_;
  energy::PowerMeter meter_;
  std::chrono::steady_clock::time_point began_;  // The stretch that is measured now.
  std::map<std::string, double> joules_;
};

}  // namespace eatt::serving
