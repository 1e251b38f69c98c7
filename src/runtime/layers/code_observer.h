#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eatt {

// Where binary codes are made. `cross_key` codes are made once for all layers.
enum class CodePlace { encoder_self, decoder_self, cross_query, cross_key };

// Codes [rows, dim] of x, as bits (kernels/selection/selection_codes.h).
struct CodeRows {
  CodePlace place;
  size_t layer;
  const float* x;  // [rows, dim], `x_stride` apart
  size_t x_stride;
  size_t rows, dim;
  uint64_t* bits;  // [rows, code_words(dim)]
};

// Sees every code as it is made, and may change it: to measure densities, and to compute with the
// codes of another program.
class CodeObserver {
 public:
  virtual ~CodeObserver() = default;
  virtual void codes(const CodeRows& codes) = 0;
};

}  // namespace eatt
