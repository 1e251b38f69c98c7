#include "model/attention_mask.h"

#include <limits>

namespace eatt {

AttentionMask AttentionMask::from_lengths(const torch::Tensor& key_lengths, int64_t key_len,
                                          bool causal, int64_t query_len) {
  AttentionMask mask;
  const auto positions = torch::arange(key_len, key_lengths.options());
  if (key_lengths.numel() > 0 && key_lengths.min().item<int64_t>() < key_len) {
    mask.hidden_ = positions.ge(key_lengths.unsqueeze(1)).view({-1, 1, 1, key_len});
    mask.has_empty_row_ = key_lengths.min().item<int64_t>() == 0;
  }
  if (causal && key_len > 1) {
    const auto queries = torch::arange(query_len, key_lengths.options());
    const auto later = positions.gt(queries.unsqueeze(1)).view({1, 1, query_len, key_len});
    mask.hidden_ = mask.hidden_.defined() ? mask.hidden_.logical_or(later) : later;
  }
  return mask;
}

torch::Tensor AttentionMask::softmax(const torch::Tensor& scores) const {
  if (!hidden_.defined()) return torch::softmax(scores, -1);
  // The most negative number instead of −∞: a fully hidden row then comes out even, not NaN, and is
  // cleared afterwards; elsewhere exp() makes it an exact 0 all the same.
  const double lowest = scores.scalar_type() == torch::kDouble
                            ? std::numeric_limits<double>::lowest()
                            : std::numeric_limits<float>::lowest();
  const auto weights = torch::softmax(scores.masked_fill(hidden_, lowest), -1);
  return has_empty_row_ ? weights.masked_fill(hidden_, 0.0) : weights;
}

}  // namespace eatt
