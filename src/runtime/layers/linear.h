#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "bundle/architecture.h"
#include "kernels/products/products.h"

namespace eatt {

class Observer;
struct Scratch;

// y = x·Wᵀ + b. Maps that read the same input are one, with their outputs side by side.
using Linear = std::variant<kernels::FloatMatrix, kernels::Int8Matrix>;

inline size_t outputs(const Linear& linear) {
  return std::visit([](const auto& matrix) { return matrix.out; }, linear);
}

// Rows x [rows, width] as linear maps of the model's precision read them: quantized once for all
// maps. Valid until the next call of linear_input().
struct LinearInput {
  const float* x = nullptr;
  size_t rows = 0;
  size_t width = 0;
  std::optional<kernels::QuantizedRows> quantized = std::nullopt;  // For int8.
  Observer* observer = nullptr;                                    // Of the products.
};
LinearInput linear_input(Precision precision, const float* x, size_t rows, size_t width,
                         Scratch& scratch);

// y [rows, outputs(linear)]
void apply(const Linear& linear, const LinearInput& input, float* y,
           kernels::Activation activation = kernels::Activation::none);

// The map of outputs [first, first + count) alone; `first` is a multiple of kOutputStep.
inline constexpr size_t kOutputStep = 64;
Linear outputs_of(const Linear& linear, size_t first, size_t count);

struct Norm {
  const float* gain;
  const float* bias;
};

}  // namespace eatt
