#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Products by weights that are packed once: y [rows, out] = x [rows, in] · Wᵀ + bias, with W [out,
// in] as in PyTorch's Linear. Results never depend on their neighbours: a row of y is computed by
// the same operations in the same order however many rows there are, a column whatever columns are
// beside it.
namespace eatt::kernels {

// Applied to a product before it is stored.
enum class Activation { none, relu };

// y [rows, out], `stride` floats from one row to the next.
struct ProductResult {
  float* data;
  size_t stride;
  Activation activation = Activation::none;
};

// ---- In floats ----

// Floats of packed weights. The layout is private to the kernel: weights are packed and used by
// the same process. Memory must be aligned to 64 bytes.
size_t float_panels_size(size_t in, size_t out) noexcept;
void pack_float_panels(const float* weight, size_t in, size_t out, float* panels) noexcept;

struct FloatMatrix {
  size_t in = 0, out = 0;
  const float* panels = nullptr;
  const float* bias = nullptr;  // [out]; null: none.
};

// x has x_stride floats from one row to the next.
void float_product(const FloatMatrix& matrix, const float* x, size_t x_stride, size_t rows,
                   const ProductResult& result) noexcept;

// Packs the matrix of some columns of y alone: panels of float_panels_size(in, columns.size()).
void gather_float_panels(const FloatMatrix& matrix, std::span<const int32_t> columns,
                         float* panels) noexcept;

// ---- In int8 ----
// int8 weights with a scale per output, rows of x quantized to eight bits with a scale per row,
// exact sums of 32 bits (up to 133,144 inputs).
//   y[r, c] = (Σ_i (x8[r, i] − 128)·w8[c, i]) · row_scale[r] · scale[c] + bias[c]
// The sum is the same on every instruction set, and so is the sequence of float operations after
// it.

inline constexpr size_t kInt8PanelColumns = 64;
inline constexpr size_t kInt8GroupSize = 4;  // Inputs that one 32-bit lane sums.

// Packed weights: [⌈out/64⌉ panels][⌈in/4⌉ groups][64 columns][4 inputs], padded with
// zeros. Part of the bundle format. Fastest if aligned to 64 bytes.
size_t int8_panels_size(size_t in, size_t out) noexcept;  // Bytes.
size_t int8_padded_columns(size_t out) noexcept;          // A multiple of 64.

// weight [out, in] → panels; sums [padded columns] = Σ_i w8[c, i].
void pack_int8_panels(const int8_t* weight, size_t in, size_t out, int8_t* panels,
                      int32_t* sums) noexcept;
// The inverse.
void unpack_int8_panels(const int8_t* panels, size_t in, size_t out, int8_t* weight) noexcept;

// Quantizes rows of weights [out, in], all finite, to −127 … 127: w ≈ w8 · scale, scale =
// max|w| / 127 (1 for a row of zeros).
void quantize_weights(const float* weight, size_t in, size_t out, int8_t* quantized,
                      float* scales) noexcept;

struct Int8Matrix {
  size_t in = 0, out = 0;
  const int8_t* panels = nullptr;
  const int32_t* sums = nullptr;  // [padded columns]
  const float* scales = nullptr;  // [out]
  const float* bias = nullptr;    // [out]; null: none.
};

// Rows of x as integers 1 … 255, 128 meaning zero: x ≈ (value − 128) · scale, with scale =
// max|x| / 127, 0 for a row of zeros; rounded to nearest, ties to even. NaN or infinity in a row
// makes its scale NaN.
struct QuantizedRows {
  const uint8_t* values;  // [rows, stride]
  const float* scales;    // [rows]
  size_t rows;
  size_t stride;  // `width` rounded up to a multiple of 64, padded with 128.
};
size_t quantized_stride(size_t width) noexcept;
size_t quantized_rows_size(size_t rows, size_t width) noexcept;  // Bytes of values.
QuantizedRows quantize_rows(const float* x, size_t x_stride, size_t rows, size_t width,
                            uint8_t* values, float* scales) noexcept;

void int8_product(const Int8Matrix& matrix, const QuantizedRows& x,
                  const ProductResult& result) noexcept;

// Packs the matrix of some columns of y alone: panels of int8_panels_size(in, columns.size()), sums
// [padded columns], scales and (if the matrix has one) bias [columns.size()].
struct Int8Columns {
  int8_t* panels;
  int32_t* sums;
  float* scales;
  float* bias;
};
void gather_int8_panels(const Int8Matrix& matrix, std::span<const int32_t> columns,
                        const Int8Columns& out) noexcept;

// Dequantizes a row: row [in] = factor · W[column], for an embedding tied to the output layer.
void int8_weight_row(const Int8Matrix& matrix, size_t column, float factor, float* row) noexcept;

}  // namespace eatt::kernels
