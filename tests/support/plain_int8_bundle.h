#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bundle/write_bundle.h"
#include "support/tiny_bundle.h"

namespace eatt::testing {

// Input of write_bundle for an int8 model with simple, meaningless weights: products of −1, 0 and 1
// with their sums, selections of bytes 129 (1 in a lower column, −127 in an upper one), floats of
// 0.5, selection biases of 0. Owns the memory that contents() points to.
class PlainInt8Bundle {
 public:
  explicit PlainInt8Bundle(const Architecture& architecture);

  BundleContents& contents() { return contents_; }

  // The elements of a tensor, for modification.
  template <typename T>
  T* values(const std::string& name) {
    return reinterpret_cast<T*>(memory_.at(name).data());
  }

 private:
  void fill(const TensorView& tensor);

  BundleContents contents_;
  std::map<std::string, std::vector<std::byte>> memory_;
};

}  // namespace eatt::testing
