#pragma once

#include <cstddef>

#include "base/random.h"

namespace eatt::bench {

// Prints the times of exact L1 distances of `length` queries and as many keys of 64 integers, the
// keys packed within the time, over those of the fastest sgemm of the same shape.
void int_scores(size_t length, size_t rounds, Random& random);

}  // namespace eatt::bench
