#pragma once

#include <cstddef>

namespace eatt::kernels {

// Layer norm: out = (x − mean) / √(variance + ε) · gain + bias, row by row.
struct LayerNormRows {
  const float* x;  // [rows, width]
  size_t rows, width;
  const float* gain;  // [width]
  const float* bias;  // [width]; unused by the backward pass.
  float epsilon;
};

// Statistics of each row, for the backward pass.
struct RowMoments {
  float* mean;               // [rows]
  float* inverse_deviation;  // [rows], 1 / √(variance + ε)
};

// out may be x.
void layer_norm(const LayerNormRows& rows, float* out, const RowMoments& moments) noexcept;

struct LayerNormGradients {
  float* x;     // [rows, width], written; may be `incoming`.
  float* gain;  // [width], added to
  float* bias;  // [width], added to
};

// incoming [rows, width]: the gradient of out.
void layer_norm_backward(const LayerNormRows& rows, const RowMoments& moments,
                         const float* incoming, const LayerNormGradients& gradients) noexcept;

}  // namespace eatt::kernels
