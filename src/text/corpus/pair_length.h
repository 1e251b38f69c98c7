#pragma once

#include <cstdint>

namespace eatt {

// How long the two sides of a sentence pair are, in pieces, end markers not counted.
struct PairLength {
  uint32_t source = 0;
  uint32_t target = 0;
};

}  // namespace eatt
