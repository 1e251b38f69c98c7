#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/isa.h"

// What the tests of kernels share: every instruction set, and memory that ends with its allocation,
// so that a sanitizer sees a step beyond the end.
namespace eatt::kernels {

// Runs body() on every instruction set of this CPU; failures name the one they happened on.
template <typename Body>
void on_each_isa(const Body& body) {
  for (const Isa& isa : supported_isas()) {
    SCOPED_TRACE("instruction set " + std::string(isa.name));
    const ForcedIsa forced(isa);
    body();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// `size` values that start at a cache line and end with the allocation.
template <class T>
class AlignedMemory {
 public:
  explicit AlignedMemory(size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), kAlignment))) {}
  ~AlignedMemory() { ::operator delete(data_, kAlignment); }
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  T* data_;
};

// The last size of a sweep: twice the widest vector of float, plus one.
inline constexpr size_t kLastSweepSize = 2 * 16 + 1;

// `size` floats that start `offset` floats after the begin of an allocation and end with it.
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

// Numbers in [−2, 2) from a seed, starting one float after an aligned address.
class RandomRows : public Misaligned {
 public:
  RandomRows(size_t size, uint64_t seed) : Misaligned(size) {
    Random random(seed);
    for (float& x : *this) x = static_cast<float>(4 * random.uniform() - 2);
  }
  std::span<float> values() { return {data(), size()}; }
};

}  // namespace eatt::kernels
