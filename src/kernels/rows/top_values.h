#pragma once

#include <cstddef>
#include <cstdint>

namespace eatt::kernels {

struct TopValue {
  float value;
  int32_t index;
};

// The `count` largest of x [size], the largest first, of equal ones the lower index first; NaN and
// −∞ are never among them. Returns how many there are.
size_t top_values(const float* x, size_t size, size_t count, TopValue* out);

}  // namespace eatt::kernels
