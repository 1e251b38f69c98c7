#pragma once

#include <vector>

#include "base/random.h"

namespace eatt::kernels {

// The last size of a sweep: twice the widest vector of float, plus one.
inline constexpr size_t kLastSweepSize = 2 * 16 + 1;

// `size` floats that start `offset` floats after an allocation and end with it, so that a sanitizer
// sees a step beyond the end.
class Misaligned {
 public:
  explicit Misaligned(size_t size, size_t offset = 1, float value = 0)
      : offset_(offset), numbers_(size + offset, value) {}

  static Misaligned random(size_t size, Random& random, float low = -2, float high = 2,
                           size_t offset = 1) {
    Misaligned made(size, offset);
    for (float& x : made) x = low + (high - low) * static_cast<float>(random.uniform());
    return made;
  }

  float* data() { return numbers_.data() + offset_; }
  const float* data() const { return numbers_.data() + offset_; }
  size_t size() const { return numbers_.size() - offset_; }
  float& operator[](size_t i) { return data()[i]; }
  float operator[](size_t i) const { return data()[i]; }
  float* begin() { return data(); }
  float* end() { return data() + size(); }
  const float* begin() const { return data(); }
  const float* end() const { return data() + size(); }
  std::vector<float> copy() const { return {begin(), end()}; }

 private:
  size_t offset_;
  std::vector<float> numbers_;
};

}  // namespace eatt::kernels
