#include "runtime/layers/positions.h"

#include <algorithm>
#include <cmath>

namespace eatt {

std::vector<float> sinusoidal_rows(size_t length, size_t model_dim) {
  const size_t half = model_dim / 2;
  const double step = std::log(10000.0) / std::max(1.0, static_cast<double>(half) - 1);
  std::vector<float> rows(length * model_dim);
  for (size_t i = 0; i < half; ++i) {
    const double frequency = std::exp(-step * static_cast<double>(i));
    for (size_t p = 0; p < length; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      rows[p * model_dim + i] = static_cast<float>(std::sin(angle));
      rows[p * model_dim + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return rows;
}

}  // namespace eatt
