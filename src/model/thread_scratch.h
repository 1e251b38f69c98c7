#pragma once

#include <cstddef>
#include <vector>

namespace eatt {

// Memory of at least `size` floats that the calling thread keeps for its next call; what an earlier
// call gave is overwritten.
inline float* thread_scratch(size_t size) {
  thread_local std::vector<float> scratch;
  if (scratch.size() < size) scratch.resize(size);
  return scratch.data();
}

}  // namespace eatt
