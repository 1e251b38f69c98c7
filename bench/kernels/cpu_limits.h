#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// What this CPU can do at most, measured: loops of nothing but the instructions of a kernel's
// innermost step, compiled for every instruction set as the kernels are.
namespace eatt::bench {

enum class Limit {
  // In registers. An element is a pair of numbers, one of a query (or an input) and one of a key
  // (or a weight).
  multiply_add,    // Floats: products.
  maximum,         // Floats: a maximum and an addition, the step of L1 scores of all pairs.
  difference,      // Floats: a difference, its magnitude, an addition, the step for one query.
  sign,            // Floats: the sign of a difference and two multiply-adds, for gradients.
  maximum_int16,   // The same step for exact distances of integers, for one query.
  differences_u8,  // The instruction that adds up absolute differences of bytes; x86 only.
  dot_int8,        // Products of bytes, added in 32 bits.
  // Elements are loaded from the memory given, again and again.
  add_floats,  // The step of selection: a load and an addition.
  add_int8,    // The same for bytes that are added in words of 16 bits, two at once.
  add_int7,
  // Elements are bytes that are loaded, and nothing else.
  load,
  load_ahead,  // The same with prefetches, for memory beyond the second cache.
};

// Runs the loop a number of times, or over `memory` (a multiple of 4 KB); returns how many elements
// that were, 0 where this instruction set has no such instruction.
double run_limit(Limit limit, size_t times, std::span<const uint8_t> memory) noexcept;

}  // namespace eatt::bench
