#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace eatt {

struct BatchLimits {
  size_t words = 1024;    // Pieces in a batch; a longer sentence is a batch of its own.
  size_t sentences = 32;  // And the most sentences.
  size_t workers = 1;     // Who take batches: no batch is so large that one of them gets none.
};

// Indices of `lengths` as batches: sentences of similar length together, the longest first, so that
// what is left for the end is short. Sentences without pieces are in none. The same lengths give
// the same batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits);

}  // namespace eatt
