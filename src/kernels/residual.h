#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dropout.h"

namespace eatt::kernels {

// What stands between the products of a layer, each in one pass. `first` is the number of the first
// element in its tensor, as in drop(). Outputs may be any of the inputs.

// out = x + drop(change). The gradient of x is the incoming one, that of change is drop() of it
// with the same seed.
void add_dropped(const float* x, const float* change, size_t size, const Dropout& dropout,
                 uint64_t first, float* out);

// out = drop(relu(x)); NaN stays NaN.
void relu_drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out);

// The gradient of x from that of out: what came through is what is above 0 in `out`, and it was
// scaled.
void relu_drop_backward(const float* out, const float* incoming, size_t size, float scale,
                        float* gradient);

}  // namespace eatt::kernels
