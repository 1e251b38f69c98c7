#pragma once

#include <cstdint>

namespace eatt::energy {

// Additions (subtractions are additions) and multiplications that were, or surely will be, done.
struct OperationCount {
  uint64_t additions = 0;
  uint64_t multiplications = 0;

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

// The same as a mean over texts of a given density, so not a whole number in general.
struct ExpectedOperations {
  double additions = 0;
  double multiplications = 0;

  friend bool operator==(const ExpectedOperations&, const ExpectedOperations&) = default;
};

}  // namespace eatt::energy
