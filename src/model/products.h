#pragma once

#include <torch/torch.h>

#include "kernels/products/dense_product.h"

namespace eatt {

// Matrix products of training: by our kernel for float on the CPU, else by libtorch's operators.
// The kernel packs one factor per product and, unlike sgemm, does not fill the result with zeros
// first.

// x·Wᵀ + b, as in torch::linear.
//   x [..., in]   weight [out, in]   bias [out]
torch::Tensor project(const torch::Tensor& x, const torch::Tensor& weight,
                      const torch::Tensor& bias);
torch::Tensor project(const torch::Tensor& x, const torch::nn::Linear& layer);
// x·Wᵀ
torch::Tensor project(const torch::Tensor& x, const torch::Tensor& weight);

// Two layers that read the same x.
struct TwoProjections {
  torch::Tensor first, second;
};
TwoProjections project_by_two(const torch::Tensor& x, const torch::nn::Linear& first,
                              const torch::nn::Linear& second);

// The three products of a linear layer for autograd functions: float matrices on the CPU, without
// gradients of their own.
//   x [rows, in]   weight [out, in]   d_result [rows, out]
namespace product {
// x·Wᵀ + b; no bias if it is undefined.
torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& weight,
                      const torch::Tensor& bias);
torch::Tensor input_gradient(const torch::Tensor& d_result, const torch::Tensor& weight);
// The same, added to the gradient [rows, in] that there is.
void add_input_gradient(const torch::Tensor& d_result, const torch::Tensor& weight,
                        torch::Tensor& d_x);
torch::Tensor weight_gradient(const torch::Tensor& d_result, const torch::Tensor& x);
torch::Tensor bias_gradient(const torch::Tensor& d_result);

// Rows of a product on libtorch's threads.
void run(const kernels::DenseProduct& product, const kernels::Factor& a, int64_t rows, float* out);

// A second factor that serves several products: of matrix [rows, columns], or of its transpose.
class Packed {
 public:
  explicit Packed(const torch::Tensor& matrix, bool transposed = false);
  // out [rows, width] = a · the factor, or that added to `out`.
  void multiply(const kernels::Factor& a, int64_t rows, float* out, bool accumulate = false) const;

 private:
  size_t depth_, columns_;
  torch::Tensor memory_;
};
}  // namespace product

}  // namespace eatt
