#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bundle/safetensors.h"
#include "trace/plain_model.h"
#include "trace/recorder.h"

namespace eatt::trace {

// Tensors with memory of their own, to be written to a file.
class TensorList {
 public:
  template <typename T>
  void add(std::string name, Shape shape, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    // Moving a vector leaves its elements where they are, and so the views.
    const auto& kept = memory_.emplace_back(bytes.begin(), bytes.end());
    views_.push_back({std::move(name), dtype_of<T>(), std::move(shape), kept});
  }
  template <typename T>
  void add(std::string name, Shape shape, const std::vector<T>& values) {
    add(std::move(name), std::move(shape), std::span<const T>(values));
  }

  const std::vector<TensorView>& tensors() const { return views_; }

 private:
  std::vector<std::vector<std::byte>> memory_;
  std::vector<TensorView> views_;
};

// weights.safetensors of a trace: docs/trace-format.md has the names.
TensorList weight_tensors(const PlainModel& model);

// Everything that was recorded for a sentence, and the intermediate integers that fast kernels
// never store, recomputed in plain loops. Throws an InternalError if these do not give the recorded
// bits. docs/trace-format.md has the names.
TensorList sentence_tensors(const PlainModel& model, const Recording& recording);

}  // namespace eatt::trace
