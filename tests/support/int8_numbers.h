// Reads packed int8 tensors as docs/formats.md describes them, independently of the kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "bundle/expected_tensors.h"
#include "runtime/layers/memory.h"

namespace eatt::testing {

// The int8 weight of a product for output `column` and input i.
inline int product_number(const NamedTensors& tensors, const std::string& part, size_t column,
                          size_t i, size_t in) {
  const size_t groups = (in + 3) / 4;
  const size_t at = ((column / 64 * groups + i / 4) * 64 + column % 64) * 4 + i % 4;
  return tensors.values<int8_t>(part + ".panels")[at];
}

// The same for a selection.
inline int selection_number(const NamedTensors& tensors, const Int8Part& part, size_t column,
                            size_t i) {
  const size_t padded = (part.out + 63) / 64 * 64;
  const size_t panel = part.layout == SelectionLayout::panels ? 256 : padded;
  const size_t first = column / panel * panel, width = std::min(panel, padded - first);
  const size_t within = column % 64;
  const size_t byte = within < 32 ? 2 * within : 2 * (within - 32) + 1;
  const uint8_t value = tensors.values<uint8_t>(
      part.name + ".packed")[first * part.in + i * width + (column - first - within) + byte];
  return within < 32 ? value - 128 : static_cast<int8_t>(value);
}

// Whether no sum of any selection of weights [out, in] can leave 16 bits: for each output, the bias
// plus all positive and plus all negative weights stays within ±32767.
inline bool int16_sums_fit(const int8_t* weight, const int16_t* bias, size_t in, size_t out) {
  for (size_t o = 0; o < out; ++o) {
    int64_t highest = bias[o], lowest = bias[o];
    for (size_t i = 0; i < in; ++i) {
      const int64_t value = weight[o * in + i];
      (value > 0 ? highest : lowest) += value;
    }
    if (highest > 32767 || lowest < -32767) return false;
  }
  return true;
}

}  // namespace eatt::testing
