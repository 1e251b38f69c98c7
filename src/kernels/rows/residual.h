#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows/dropout.h"

namespace eatt::kernels {

// What stands between the products of a layer, each in one pass. `first` is the number of the first
// element in its tensor, as in drop(). Outputs may be any of the inputs.

// out = x + drop(change). The gradient of x is the incoming one, that of change is drop() of it
// with the same seed.
void add_dropped(const float* x, const float* change, size_t size, const Dropout& dropout,
                 uint64_t first, float* out);

// The hidden units of a feed-forward layer, [rows, width].
struct HiddenRows {
  size_t rows, width;
  const float* bias;       // [width]
  const Dropout* dropout;  // Null where nothing is dropped.
  uint64_t first;          // Number of the first element, as above.
};

// x = drop(relu(x + bias)), in place; NaN stays NaN.
void bias_relu_drop(const HiddenRows& hidden, float* x);

// From the gradient of the result, that of x: what came through is what is above 0 in `out`, and it
// was scaled. Its sums over the rows are added to bias_gradient [width].
void bias_relu_drop_backward(const HiddenRows& hidden, const float* out, const float* incoming,
                             float* gradient, float* bias_gradient);

}  // namespace eatt::kernels
