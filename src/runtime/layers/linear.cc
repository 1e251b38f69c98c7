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

}  // namespace eatt
