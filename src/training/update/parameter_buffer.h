#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

namespace eatt {

// All parameters of a model in one row of numbers, and all gradients in another. The model's
// tensors become views, so whatever goes over every parameter (the optimiser, clipping, averages,
// checkpoints) is a handful of operations on two long rows instead of thousands on short ones.
class ParameterBuffer {
 public:
  explicit ParameterBuffer(torch::nn::Module& model);
  // For a copy of the model that shares the values of `other`, and has gradients of its own.
  ParameterBuffer(torch::nn::Module& model, const ParameterBuffer& other);

  torch::Tensor& values() { return values_; }        // [size]
  torch::Tensor& gradients() { return gradients_; }  // [size], added to by backward()

  // The parameters' names, in their order in the row.
  const std::vector<std::string>& names() const { return names_; }

  // The part of a row such as values() that belongs to parameter i, in its shape.
  torch::Tensor part(const torch::Tensor& row, size_t i) const;

  // The first parameter whose part of `row` holds a NaN or an infinity; empty if none does.
  std::string first_not_finite(const torch::Tensor& row) const;

 private:
  void adopt(torch::nn::Module& model);

  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<int64_t> offsets_;  // One more than parameters: the last is the size.
  torch::Tensor values_, gradients_;
};

}  // namespace eatt
