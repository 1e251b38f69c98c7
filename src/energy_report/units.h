#pragma once

#include <array>
#include <string_view>

namespace eatt::energy {

struct EnergyUnit {
  std::string_view name;
  double picojoules;
};

// The largest unit in which the energy, rounded to three digits, is at least 1; pJ if there is
// none.
inline EnergyUnit unit_for(double picojoules) {
  constexpr std::array<EnergyUnit, 5> kUnits = {
      {{"pJ", 1}, {"nJ", 1e3}, {"µJ", 1e6}, {"mJ", 1e9}, {"J", 1e12}}};
  EnergyUnit chosen = kUnits.front();
  for (const EnergyUnit& unit : kUnits) {
    if (picojoules >= 0.9995 * unit.picojoules) chosen = unit;
  }
  return chosen;
}

}  // namespace eatt::energy
