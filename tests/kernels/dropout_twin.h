#pragma once

#include "kernels/rows/dropout.h"

namespace eatt::kernels {

// Whether dropout keeps element `index` of a row: the hash of dropout-inl.h, one at a time.
inline bool is_kept(DropoutRow row, uint32_t index, int32_t threshold) {
  uint32_t hash = index + row.offset;
  hash ^= hash >> 16;
  hash *= 0x21f0aaadu;
  hash += row.key;
  hash ^= hash >> 15;
  hash *= 0xd35a2d97u;
  return static_cast<int32_t>(hash) > threshold;
}

}  // namespace eatt::kernels
