#include "runtime/layers/linear.h"

#include "runtime/layers/memory.h"
#include "runtime/layers/observer.h"

namespace eatt {

LinearInput linear_input(Precision precision, const float* x, size_t rows, size_t width,
                         Scratch& scratch) {
  LinearInput input{.x = x, .rows = rows, .width = width};
  input.observer = scratch.observer;
  if (precision == Precision::float32) return input;
  uint8_t* values = scratch.quantized.at_least(kernels::quantized_rows_size(rows, width));
  float* scales = scratch.row_scales.at_least(rows);
  input.quantized = kernels::quantize_rows(x, width, rows, width, values, scales);
  return input;
}

void apply(const Linear& linear, const LinearInput& input, float* y,
           kernels::Activation activation) {
  const kernels::ProductResult result{y, outputs(linear), activation};
  if (const auto* matrix = std::get_if<kernels::Int8Matrix>(&linear)) {
    kernels::int8_product(*matrix, *input.quantized, result);
  } else {
    kernels::float_product(std::get<kernels::FloatMatrix>(linear), input.x, input.width, input.rows,
                           result);
  }
  if (input.observer != nullptr) input.observer->product(linear, input, activation, y);
}

namespace {

// Packed weights are panels of columns, one after the other.
kernels::FloatMatrix columns_of(const kernels::FloatMatrix& matrix, size_t first, size_t count) {
  return {.in = matrix.in,
          .out = count,
          .panels = matrix.panels + kernels::float_panels_size(matrix.in, first),
          .bias = matrix.bias == nullptr ? nullptr : matrix.bias + first};
}

kernels::Int8Matrix columns_of(const kernels::Int8Matrix& matrix, size_t first, size_t count) {
  return {.in = matrix.in,
          .out = count,
          .panels = matrix.panels + kernels::int8_panels_size(matrix.in, first),
          .sums = matrix.sums + first,
          .scales = matrix.scales + first,
          .bias = matrix.bias == nullptr ? nullptr : matrix.bias + first};
}

}  // namespace

Linear outputs_of(const Linear& linear, size_t first, size_t count) {
  return std::visit([&](const auto& matrix) { return Linear(columns_of(matrix, first, count)); },
                    linear);
}

}  // namespace eatt
