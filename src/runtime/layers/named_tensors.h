#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bundle/expected_tensors.h"
#include "bundle/safetensors.h"

namespace eatt {

// Tensors in memory of their own, each at a multiple of 64 bytes. Views stay valid while this
// object lives, moved or not.
class NamedTensors {
 public:
  // Room for these tensors; their bytes are whatever the memory held. Names must be different.
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

}  // namespace eatt
