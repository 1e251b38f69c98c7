#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/transformer.h"
#include "text/data/data_set.h"

// A model whose queries and keys are projections of their input starts one that projects codes.
namespace eatt {

// What the attentions of a model read on some text, by layer: [tokens, model_dim], no padding.
struct AttentionInputs {
  std::vector<torch::Tensor> encoder_self, decoder_self, cross;
  torch::Tensor memory;  // The encoder's output.

  const torch::Tensor& of(const CodeProjection& projection) const;
};

// On a few hundred pairs from all parts of the data that are not longer than `max_length`.
AttentionInputs attention_inputs(Transformer& model, const DataSet& data, size_t max_length);

// x ≈ offset + slope · code, feature by feature, with the least squared error: the slope is
// cov(x, code) / var(code), or 0 where the code never changes.
struct CodeFit {
  torch::Tensor slope, offset;  // [features]
};
CodeFit fit_codes(const torch::Tensor& x, const torch::Tensor& codes);  // [tokens, features]

// The projections of queries and keys that read x in `theirs`, whose weights are given, and its
// code in `ours`.
std::vector<CodeProjection> projections_to_convert(const Architecture& theirs,
                                                   const Architecture& ours,
                                                   const NamedWeights& weights);

// Puts the fit into weights and bias: queries and keys keep their means, and come as near to what
// they were as codes allow. Learned thresholds go to the quantile of each feature that gives the
// density of normally distributed inputs at the threshold they would start from.
void convert_to_codes(const std::vector<CodeProjection>& projections, const AttentionInputs& inputs,
                      const Architecture& ours, NamedWeights& weights);

}  // namespace eatt
