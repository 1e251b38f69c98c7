#pragma once

#include <cstddef>
#include <new>

namespace eatt::kernels {

// `size` values that start at a line of the cache and end with the allocation, so that a sanitizer
// sees a step beyond the end.
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

}  // namespace eatt::kernels
