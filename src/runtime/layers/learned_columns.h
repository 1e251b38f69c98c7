#pragma once

#include <algorithm>

#include "bundle/architecture.h"

namespace eatt {

// W2 of dense attention [heads, max_length, n] → [max_length, heads·n]: a row per position, like
// the keys of other mechanisms.
inline void positions_first(const Architecture& architecture, const float* w2, float* columns) {
  const size_t heads = architecture.heads;
  const size_t n = architecture.qk_head_dim();
  const size_t length = architecture.max_length;
  for (size_t h = 0; h < heads; ++h) {
    for (size_t p = 0; p < length; ++p)
      std::copy_n(w2 + (h * length + p) * n, n, columns + (p * heads + h) * n);
  }
}

}  // namespace eatt
