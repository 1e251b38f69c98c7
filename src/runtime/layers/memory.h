#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bundle/expected_tensors.h"
#include "bundle/safetensors.h"

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

  // Room for `size` elements; its content is lost if it has to grow.
  T* at_least(size_t size) {
    if (size > size_ || data_ == nullptr) {
      data_.reset();  // Before the new memory is taken, so that the two never exist at once.
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

// Tensors in memory of their own, each at a multiple of 64 bytes. Views stay valid while this
// object lives, moved or not.
class NamedTensors {
 public:
  // Room for these tensors, not initialised. Names must be different.
  explicit NamedTensors(std::span<const TensorSpec> specs);

  // In the order given.
  const std::vector<TensorView>& tensors() const { return tensors_; }

  // Null if there is none of that name.
  const TensorView* find(std::string_view name) const;

  // The elements of a tensor that is there and has this type.
  template <typename T>
  std::span<const T> values(std::string_view name) const {
    return {reinterpret_cast<const T*>(bytes_of(name, dtype_of<T>())), size_of<T>(name)};
  }
  template <typename T>
  std::span<T> writable(std::string_view name) {
    return {reinterpret_cast<T*>(bytes_of(name, dtype_of<T>())), size_of<T>(name)};
  }

 private:
  struct Release {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::byte* bytes_of(std::string_view name, Dtype dtype) const;
  template <typename T>
  size_t size_of(std::string_view name) const {
    return find(name)->bytes.size() / sizeof(T);
  }

  std::unique_ptr<std::byte[], Release> memory_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t, std::less<>> places_;  // Name to index in tensors_.
};

class Observer;

// Memory that the layers of a batch use again and again; each name has one meaning. Nothing in it
// outlives a layer.
struct Scratch {
  Buffer<float> normed;     // [rows, model_dim]: what a sub-layer reads
  Buffer<float> delta;      // [rows, model_dim]: what it adds
  Buffer<float> projected;  // [rows, …]: queries, keys and values side by side, as a map gives them
  Buffer<float> values;     // [rows, attention_dim], where they have a map of their own
  Buffer<float> context;    // [rows, attention_dim]: weighted values
  Buffer<float> hidden;     // [rows, ffn_dim]
  Buffer<float> scores;     // [heads, keys] of a row
  Buffer<float> attention;  // Of kernels::attention_forward
  Buffer<float> log_sums;
  Buffer<float> moments;  // [2, rows] of a norm

  Buffer<uint8_t> quantized;  // Input of an int8 product
  Buffer<float> row_scales;
  Buffer<uint64_t> bits;  // Codes, [planes, rows, words]
  Buffer<uint8_t> code_positions, code_counts;
  Buffer<int16_t> selected;  // [rows, …]: integer queries and keys

  std::vector<const void*> key_rows, value_rows;  // Of a row's attention

  Observer* observer = nullptr;  // Null: none.
  // Called now and then while a batch is encoded; may throw, which ends the batch. Null: none.
  const std::function<void()>* before_step = nullptr;
};

}  // namespace eatt
