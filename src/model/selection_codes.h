#pragma once

#include <torch/torch.h>

#include <memory>
#include <mutex>
#include <vector>

#include "kernels/selection/selection_codes.h"

namespace eatt {

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

  bool defined() const { return values.defined(); }
};

}  // namespace eatt
