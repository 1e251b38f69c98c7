#pragma once

#include <cstddef>

namespace eatt::kernels {

// What happens to a product before it is stored.
enum class Activation { none, relu };

// y [rows, out], `stride` floats from row to row.
struct ProductResult {
  float* data;
  size_t stride;
  Activation activation = Activation::none;
};

}  // namespace eatt::kernels
