#pragma once

#include <torch/torch.h>

#include <memory>
#include <mutex>
#include <vector>

#include "kernels/selection/selection_codes.h"
#include "model/products.h"

namespace eatt {

// Settings of codes that only training uses.
struct CodeTraining {
  double surrogate_width = 1;   // Of the bell that replaces the derivative of a step.
  double gradient = 1;          // Factor on the gradient that flows through codes to their input.
  bool wants_selected = false;  // See SelectionCodes::selected.
  // Codes are made of sums of embeddings and sub-layer outputs without residual dropout (Stream).
  bool without_dropout = false;
  // Codes are hardness · (the codes) + (1 − hardness) · (the integral of their bells): 0 is smooth,
  // 1 is what the finished model computes. Shared with the owner of the model, who may change it
  // between updates; null is 1.
  std::shared_ptr<const double> hardness = nullptr;

  // While true, codes are constants: no gradient flows through them to their input and threshold.
  // Shared in the same way; null is false.
  std::shared_ptr<const bool> frozen = nullptr;

  bool frozen_now() const { return frozen != nullptr && *frozen; }
  double hardness_now() const { return hardness == nullptr ? 1.0 : *hardness; }
};

// Where the ones of a matrix of codes are, for kernels that add up selected rows.
class CodeIndex {
 public:
  // x [rows, dim], float on the CPU, without gaps; threshold: one number or one per feature.
  CodeIndex(const torch::Tensor& x, const torch::Tensor& threshold);

  int64_t rows() const { return static_cast<int64_t>(rows_); }
  int64_t dim() const { return static_cast<int64_t>(dim_); }
  double density() const;  // Share of ones.

  void write_floats(float* codes) const;  // [rows, dim] of 0 and 1
  // Lists are made when they are first asked for.
  const kernels::CodeLists& by_row() const;      // For each row its features.
  const kernels::CodeLists& by_feature() const;  // For each feature its rows.

 private:
  struct Lists {
    std::once_flag once;
    std::vector<uint8_t> positions, counts;
    kernels::CodeLists lists = {};
  };
  static void fill(Lists& lists, const std::vector<uint64_t>& bits, size_t rows, size_t dim);

  size_t rows_, dim_;
  size_t ones_ = 0;
  std::vector<uint64_t> bits_;
  mutable Lists by_row_, by_feature_;
};

// f(X): values 0 and 1 that carry the gradient, and where the ones are.
struct SelectionCodes {
  torch::Tensor values;                    // [..., dim]; undefined if there are no codes
  std::shared_ptr<const CodeIndex> index;  // Of all rows; null where kernels are not used.
  // [..., dim]: 1 where a code is not 0, with the gradient of the bell; with soft codes, the smooth
  // step in its place. Undefined unless wanted.
  torch::Tensor selected = {};

  bool defined() const { return values.defined(); }
};

// E-ATT's selection code: 1 where x > threshold, else 0. Multiplying it with a weight matrix adds
// up the selected rows, so no multiplication is left.
//   x [..., features]   threshold: one number [] or one per feature [features]
//   values of the result: [..., features] of x's type, zeros and ones
// The step has no useful derivative; gradients flow as if its slope were a bell around the
// threshold,
//   dx = z · √(2/π)/w · exp(−2·((x−threshold)/w)²),   d threshold = −Σ dx,
// which integrates to 1 for every width w. w = 1 is the paper's surrogate (it prints
// z inside the exponential, which does not train).
// Hard codes of float tensors on the CPU are computed by our kernels and have an index.
SelectionCodes binarise(const torch::Tensor& x, const torch::Tensor& threshold,
                        const CodeTraining& training);

// Signed codes (kernels/selection/signed_codes.h): integers times `unit`, with a bell at each of
// their steps. They have no index: at their densities a dense product is as fast.
//   threshold: one number [] or one per feature [features], all above 0
struct SignedCodeShape {
  size_t levels = 1;
  double unit = 1;
};
SelectionCodes signed_codes(const torch::Tensor& x, const torch::Tensor& threshold,
                            const SignedCodeShape& shape, const CodeTraining& training);

// The bell itself.
torch::Tensor surrogate_slope(const torch::Tensor& x, const torch::Tensor& threshold,
                              double surrogate_width);

// codes [..., in] · weightᵀ + bias, weight [out, in]. If the codes have an index and are sparse
// enough, the selected rows of weightᵀ are added up, forward and for the weight's gradient;
// otherwise it is a dense product.
torch::Tensor selective_linear(const SelectionCodes& codes, const torch::Tensor& weight,
                               const torch::Tensor& bias);

// The same for two layers that read the same codes.
TwoProjections select_by_two(const SelectionCodes& codes, const torch::nn::Linear& first,
                             const torch::nn::Linear& second);

}  // namespace eatt
