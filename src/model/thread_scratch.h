#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eatt {

// Memory of at least `size` floats that the calling thread keeps for its next call; what an earlier
// call gave is overwritten. It starts at a line of the cache: vectors across two are slow to load.
inline float* thread_scratch(size_t size) {
  constexpr size_t kLine = 16;  // Floats.
  thread_local std::vector<float> scratch;
  if (scratch.size() < size + kLine) scratch = std::vector<float>(size + kLine);
  const auto place = reinterpret_cast<uintptr_t>(scratch.data()) / sizeof(float);
  return scratch.data() + (kLine - place % kLine) % kLine;
}

}  // namespace eatt
