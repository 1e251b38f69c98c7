#pragma once

#include <cstddef>

// Products of two matrices that both change from one call to the next, as in training: forward, and
// both gradients of a linear layer. The second factor is packed before each use.
namespace eatt::kernels {

// A matrix in memory, `stride` floats from one row to the next. The factor it stands for is the
// matrix itself or its transpose.
struct Factor {
  const float* data;
  size_t stride;
  bool transposed = false;
};

// Floats of a packed second factor [depth, columns]. Memory must be aligned to 64 bytes.
size_t packed_factor_size(size_t depth, size_t columns) noexcept;
void pack_factor(const Factor& b, size_t depth, size_t columns, float* packed) noexcept;

struct DenseProduct {
  size_t depth, columns;
  const float* packed;          // The second factor.
  const float* bias = nullptr;  // [columns], added to each row; null: none.
  bool accumulate = false;      // Add to what is in the result.
};

// out [rows, columns] = a [rows, depth] · b (+ bias) (+ out). A row of the result does not depend
// on how many rows there are.
void dense_product(const DenseProduct& product, const Factor& a, size_t rows, float* out,
                   size_t out_stride) noexcept;

}  // namespace eatt::kernels
