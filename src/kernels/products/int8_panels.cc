#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/products/products.h"

namespace eatt::kernels {
namespace {

constexpr size_t round_up(size_t n, size_t step) { return (n + step - 1) / step * step; }

constexpr size_t groups_of(size_t in) { return (in + kInt8GroupSize - 1) / kInt8GroupSize; }

constexpr size_t kGroupBytes = kInt8PanelColumns * kInt8GroupSize;

// Offset of the first group of a column; the others follow at intervals of kGroupBytes.
size_t column_offset(size_t column, size_t in) {
  return column / kInt8PanelColumns * groups_of(in) * kGroupBytes +
         column % kInt8PanelColumns * kInt8GroupSize;
}

// Clears the padding columns after `out` in panels and sums.
void clear_last_columns(size_t in, size_t out, int8_t* panels, int32_t* sums) {
  const size_t padded = int8_padded_columns(out);
  if (out == padded) return;
  const size_t last_panel = groups_of(in) * kGroupBytes;
  std::memset(panels + int8_panels_size(in, out) - last_panel, 0, last_panel);
  std::fill(sums + out, sums + padded, 0);
}

}  // namespace

size_t int8_padded_columns(size_t out) noexcept { return round_up(out, kInt8PanelColumns); }

size_t int8_panels_size(size_t in, size_t out) noexcept {
  return int8_padded_columns(out) * groups_of(in) * kInt8GroupSize;
}

void pack_int8_panels(const int8_t* weight, size_t in, size_t out, int8_t* panels,
                      int32_t* sums) noexcept {
  clear_last_columns(in, out, panels, sums);
  for (size_t column = 0; column < out; ++column, weight += in) {
    int8_t* to = panels + column_offset(column, in);
    for (size_t i = 0; i < in; i += kInt8GroupSize, to += kGroupBytes) {
      int8_t group[kInt8GroupSize] = {};
      std::copy_n(weight + i, std::min(kInt8GroupSize, in - i), group);
      std::memcpy(to, group, kInt8GroupSize);
    }
    int32_t sum = 0;
    for (size_t i = 0; i < in; ++i) sum += weight[i];
    sums[column] = sum;
  }
}

void unpack_int8_panels(const int8_t* panels, size_t in, size_t out, int8_t* weight) noexcept {
  for (size_t column = 0; column < out; ++column, weight += in) {
    const int8_t* from = panels + column_offset(column, in);
    for (size_t i = 0; i < in; i += kInt8GroupSize, from += kGroupBytes) {
      std::copy_n(from, std::min(kInt8GroupSize, in - i), weight + i);
    }
  }
}

void quantize_weights(const float* weight, size_t in, size_t out, int8_t* quantized,
                      float* scales) noexcept {
  for (size_t column = 0; column < out; ++column, weight += in, quantized += in) {
    float largest = 0;
    for (size_t i = 0; i < in; ++i) largest = std::max(largest, std::abs(weight[i]));
    scales[column] = largest == 0 ? 1.0f : largest / 127.0f;
    // In double: for the smallest floats the scale would have few bits or be zero.
    const double scale = largest == 0 ? 1.0 : static_cast<double>(largest) / 127.0;
    for (size_t i = 0; i < in; ++i) {
      quantized[i] = static_cast<int8_t>(std::nearbyint(static_cast<double>(weight[i]) / scale));
    }
  }
}

void gather_int8_panels(const Int8Matrix& matrix, std::span<const int32_t> columns,
                        const Int8Columns& out) noexcept {
  clear_last_columns(matrix.in, columns.size(), out.panels, out.sums);
  const size_t groups = groups_of(matrix.in);
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto column = static_cast<size_t>(columns[c]);
    const int8_t* from = matrix.panels + column_offset(column, matrix.in);
    int8_t* to = out.panels + column_offset(c, matrix.in);
    for (size_t g = 0; g < groups; ++g) {
      std::memcpy(to + g * kGroupBytes, from + g * kGroupBytes, kInt8GroupSize);
    }
    out.sums[c] = matrix.sums[column];
    out.scales[c] = matrix.scales[column];
    if (matrix.bias != nullptr) out.bias[c] = matrix.bias[column];
  }
}

void int8_weight_row(const Int8Matrix& matrix, size_t column, float factor, float* row) noexcept {
  const int8_t* from = matrix.panels + column_offset(column, matrix.in);
  const float scale = factor * matrix.scales[column];
  for (size_t i = 0; i < matrix.in; ++i) {
    row[i] = scale * from[i / kInt8GroupSize * kGroupBytes + i % kInt8GroupSize];
  }
}

}  // namespace eatt::kernels
