#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"

namespace eatt::kernels {

// Numbers in [−2, 2), starting one float after an aligned address, with nothing to read before or
// after them.
class RandomRows {
 public:
  RandomRows(size_t size, uint64_t seed) : storage_(size + 1) {
    Random random(seed);
    for (float& x : storage_) x = static_cast<float>(4 * random.uniform() - 2);
  }
  const float* data() const { return storage_.data() + 1; }
  float* data() { return storage_.data() + 1; }
  std::span<float> values() { return {data(), storage_.size() - 1}; }

 private:
  std::vector<float> storage_;
};

}  // namespace eatt::kernels
