#pragma once

#include <cstddef>
#include <vector>

namespace eatt {

// Sinusoidal positions [length, model_dim]: with h = model_dim/2, sin(p·f_i) at i and cos(p·f_i) at
// h+i, for i = 0 … h−1 and f_i = 10000^(−i/(h−1)).
std::vector<float> sinusoidal_rows(size_t length, size_t model_dim);

}  // namespace eatt
