#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/products/product.h"

// y [rows, out] = x [rows, in] · Wᵀ + bias, W [out, in] as PyTorch's Linear has it, packed once.
// A row of y is computed by the same operations in the same order however many rows there are, and
// a column of y whatever columns stand beside it: results never depend on their neighbours.
namespace eatt::kernels {

// Floats of packed weights. The layout is private to the kernel: weights are packed and used by
// the same process. Memory is aligned to 64 bytes.
size_t float_panels_size(size_t in, size_t out);
void pack_float_panels(const float* weight, size_t in, size_t out, float* panels);

struct FloatMatrix {
  size_t in = 0, out = 0;
  const float* panels = nullptr;
  const float* bias = nullptr;  // [out]; null: none.
};

// x has x_stride floats from row to row.
void float_product(const FloatMatrix& matrix, const float* x, size_t x_stride, size_t rows,
                   const ProductResult& result);

// The matrix of some columns of y alone: panels of float_panels_size(in, columns.size()).
void gather_float_panels(const FloatMatrix& matrix, std::span<const int32_t> columns,
                         float* panels);

}  // namespace eatt::kernels
