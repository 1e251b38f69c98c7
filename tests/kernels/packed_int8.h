#pragma once

#include <vector>

#include "base/random.h"
#include "kernels/kernel_testing.h"
#include "kernels/products/products.h"

namespace eatt::kernels {

// A matrix of given or random integers, packed.
class PackedInt8 {
 public:
  PackedInt8(size_t in, size_t out, bool with_bias, uint64_t seed = 1)
      : PackedInt8(in, out, with_bias, random_weight(in * out, seed)) {}
  PackedInt8(size_t in, size_t out, bool with_bias, std::vector<int8_t> numbers)
      : weight(std::move(numbers)),
        scales(out, 11),
        bias(out, 12),
        panels(int8_panels_size(in, out)),
        sums(int8_padded_columns(out)) {
    for (float& scale : scales) scale = 0.01f * (2.5f + scale);
    pack_int8_panels(weight.data(), in, out, panels.data(), sums.data());
    matrix = {in,          out,           panels.data(),
              sums.data(), scales.data(), with_bias ? bias.data() : nullptr};
  }

  std::vector<int8_t> weight;  // [out, in]
  RandomRows scales, bias;
  AlignedMemory<int8_t> panels;
  std::vector<int32_t> sums;
  Int8Matrix matrix;

 private:
  static std::vector<int8_t> random_weight(size_t size, uint64_t seed) {
    Random random(seed);
    std::vector<int8_t> numbers(size);
    for (int8_t& x : numbers) x = static_cast<int8_t>(static_cast<int>(random.below(255)) - 127);
    return numbers;
  }
};

// Rows of given numbers of 1 … 255 as quantize_rows would leave them.
class ByteRows {
 public:
  ByteRows(size_t count, size_t width, uint64_t seed)
      : values(quantized_rows_size(count, width)), scales(count, seed) {
    Random random(seed);
    const size_t stride = quantized_stride(width);
    std::fill_n(values.data(), quantized_rows_size(count, width), uint8_t{128});
    for (size_t r = 0; r < count; ++r) {
      for (size_t i = 0; i < width; ++i) {
        values.data()[r * stride + i] = static_cast<uint8_t>(1 + random.below(255));
      }
    }
    rows = {values.data(), scales.data(), count, stride};
  }

  AlignedMemory<uint8_t> values;
  RandomRows scales;
  QuantizedRows rows;
};

}  // namespace eatt::kernels
