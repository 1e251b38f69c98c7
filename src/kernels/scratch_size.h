#pragma once

#include <cstddef>

namespace eatt::kernels {

// Scratch memory is measured for the widest instruction set, whichever runs.
inline constexpr size_t kMostLanes = 16;  // Of float.
inline constexpr size_t kMostRows = 8;    // Of a tile.
inline constexpr size_t kAlignment = 16;  // Floats: a line of the cache.

inline constexpr size_t padded(size_t n) { return (n + kMostLanes - 1) / kMostLanes * kMostLanes; }

}  // namespace eatt::kernels
