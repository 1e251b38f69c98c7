#include "model/attention_mask.h"

#include <limits>

#include "base/error.h"

namespace eatt {

AttentionMask AttentionMask::from_lengths(const torch::Tensor& key_lengths, int64_t key_len,
                                          bool causal, int64_t query_len) {
  AttentionMask mask;
  mask.causal_ = causal && key_len > 1;
  mask.query_len_ = query_len;
  mask.key_len_ = key_len;
  const int64_t shortest = key_lengths.numel() > 0 ? key_lengths.min().item<int64_t>() : key_len;
  expects(
      shortest >= 0 && (key_lengths.numel() == 0 || key_lengths.max().item<int64_t>() <= key_len),
      "no sentence has more keys than there are");
  if (shortest < key_len) mask.key_lengths_ = key_lengths.to(torch::kLong).contiguous();
  mask.has_empty_row_ = shortest == 0;
  return mask;
}

const torch::Tensor& AttentionMask::hidden() const {
  if (hidden_.defined() || (!key_lengths_.defined() && !causal_)) return hidden_;
  const auto device = key_lengths_.defined() ? key_lengths_.device() : torch::Device(torch::kCPU);
  const auto positions = torch::arange(key_len_, torch::TensorOptions(torch::kLong).device(device));
  if (key_lengths_.defined())
    hidden_ = positions.ge(key_lengths_.unsqueeze(1)).view({-1, 1, 1, key_len_});
  if (causal_) {
    const auto queries = torch::arange(query_len_, positions.options());
    const auto later = positions.gt(queries.unsqueeze(1)).view({1, 1, query_len_, key_len_});
    hidden_ = hidden_.defined() ? hidden_.logical_or(later) : later;
  }
  return hidden_;
}

torch::Tensor AttentionMask::softmax(const torch::Tensor& scores) const {
  if (!hidden().defined()) return torch::softmax(scores, -1);
  const auto hidden_here = hidden().to(scores.device());
  // The most negative number instead of −∞: a fully hidden row then comes out even, not NaN, and is
  // cleared afterwards; elsewhere exp() makes it an exact 0 all the same.
  const double lowest = scores.scalar_type() == torch::kDouble
                            ? std::numeric_limits<double>::lowest()
                            : std::numeric_limits<float>::lowest();
  const auto weights = torch::softmax(scores.masked_fill(hidden_here, lowest), -1);
  return has_empty_row_ ? weights.masked_fill(hidden_here, 0.0) : weights;
}

}  // namespace eatt
