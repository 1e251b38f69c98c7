#pragma once

#include <string>
#include <vector>

namespace eatt::kernels {

struct KernelCheck {
  std::string name;                                    // "attention backward, L1"
  double difference;                                   // Largest, relative to 1 + |scalar result|.
  double tolerance;                                    // 0 where results must be equal.
  bool ok() const { return difference <= tolerance; }  // False for NaN.
};

// Runs every kernel on random inputs of awkward sizes, with the instruction set in use and with
// scalar code, and compares the results. Detects a CPU, an emulator or a compiler that computes
// wrongly, in a few milliseconds. Must not be called while kernels run elsewhere. Throws an Error
// if EATT_FORCE_ISA names an unknown instruction set.
std::vector<KernelCheck> check_kernels();

}  // namespace eatt::kernels
