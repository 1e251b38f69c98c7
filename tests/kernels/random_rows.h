#pragma once

#include <span>

#include "kernels/misaligned.h"

namespace eatt::kernels {

// Numbers in [−2, 2) from a seed, starting one float after an aligned address.
class RandomRows : public Misaligned {
 public:
  RandomRows(size_t size, uint64_t seed) : Misaligned(size) {
    Random random(seed);
    for (float& x : *this) x = static_cast<float>(4 * random.uniform() - 2);
  }
  std::span<float> values() { return {data(), size()}; }
};

}  // namespace eatt::kernels
