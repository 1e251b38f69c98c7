#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
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

}  // namespace eatt::energy
