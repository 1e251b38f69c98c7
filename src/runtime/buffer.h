#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace eatt {

// Memory that starts at a line of the cache, for packed weights and for scratch that is used again.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(size_t size) { at_least(size); }

  // Room for `size` elements; what it held is lost if it has to grow.
  T* at_least(size_t size) {
    if (size > size_ || data_ == nullptr) {
      data_.reset();  // Before the new memory is taken, so that the two never stand side by side.
      const size_t bytes = (size * sizeof(T) + kLine - 1) / kLine * kLine;
      data_.reset(static_cast<T*>(std::aligned_alloc(kLine, bytes == 0 ? kLine : bytes)));
      if (data_ == nullptr) throw std::bad_alloc();
      size_ = size;
    }
    return data_.get();
  }

  T* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kLine = 64;
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

}  // namespace eatt
