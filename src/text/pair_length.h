#pragma once

#include <cstdint>

namespace eatt {

// Pieces of a sentence pair, end markers not counted.
struct PairLength {
  uint32_t source = 0;
  uint32_t target = 0;
};

}  // namespace eatt
