#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

namespace eatt {

// Memory that starts at a line of the cache, in large pages where it is large and the system has
// them: weights that are read from end to end would wait for page tables otherwise. Freed by
// std::free. Throws std::bad_alloc.
void* allocate_lines(size_t bytes);

// Such memory for packed weights, and for scratch that is used again.
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
      size_ = 0;
      data_.reset(static_cast<T*>(allocate_lines(size * sizeof(T))));
      size_ = size;
    }
    return data_.get();
  }

  T* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

}  // namespace eatt
