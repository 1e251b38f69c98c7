#include "energy/chip.h"

namespace eatt::energy {

const std::array<Chip, 2>& paper_chips() {
  static const std::array<Chip, 2> chips = {{
      {.name = "asic", .add_picojoules = 0.9, .mul_picojoules = 3.7},
      {.name = "fpga", .add_picojoules = 0.4, .mul_picojoules = 18.8},
  }};
  return chips;
}

double picojoules(const Chip& chip, const ExpectedOperations& operations) {
  return chip.add_picojoules * operations.additions +
         chip.mul_picojoules * operations.multiplications;
}

}  // namespace eatt::energy
