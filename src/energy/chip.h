#pragma once

#include <array>
#include <string>

#include "energy/operation_count.h"

namespace eatt::energy {

// What a chip spends on one operation on 32-bit floating-point numbers.
struct Chip {
  std::string name;  // As in options and JSON.
  double add_picojoules = 0;
  double mul_picojoules = 0;
};

// The paper's Table 1, which took its figures from ShiftAddNet (You et al., 2020): asic, fpga.
const std::array<Chip, 2>& paper_chips();

// Arithmetic alone: no memory, no activations.
double picojoules(const Chip& chip, const ExpectedOperations& operations);

}  // namespace eatt::energy
