#include "model/attention_scores.h"

#include <limits>

#include "base/error.h"
#include "kernels/attention/attention.h"
#include "model/fused.h"

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
  // The most negative number instead of −∞: a fully hidden row becomes uniform, not NaN, and is
  // cleared afterwards; elsewhere exp() still gives exactly 0.
  const double lowest = scores.scalar_type() == torch::kDouble
                            ? std::numeric_limits<double>::lowest()
                            : std::numeric_limits<float>::lowest();
  const auto weights = torch::softmax(scores.masked_fill(hidden_here, lowest), -1);
  return has_empty_row_ ? weights.masked_fill(hidden_here, 0.0) : weights;
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Matrices [count, rows, n] without gaps.
struct Matrices {
  explicit Matrices(const torch::Tensor& x)
      : data(x.data_ptr<float>()),
        rows(static_cast<size_t>(x.size(-2))),
        dim(static_cast<size_t>(x.size(-1))) {}
  kernels::ConstRows operator[](size_t i) const { return {data + i * rows * dim, rows, dim}; }

  float* data;
  size_t rows, dim;
};

struct L1Scores : torch::autograd::Function<L1Scores> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& query,
                               const torch::Tensor& key) {
    context->save_for_backward({query, key});
    const Matrices queries(query), keys(key);
    auto scores = torch::empty({query.size(0), query.size(1), key.size(1)}, query.options());
    float* scratch = thread_scratch(kernels::pairwise_scores_scratch(keys.rows, keys.dim));
    for (size_t i = 0; i < static_cast<size_t>(query.size(0)); ++i) {
      kernels::pairwise_scores({kernels::ScoreKind::l1, keys.dim}, queries[i], keys[i],
                               scores.data_ptr<float>() + i * queries.rows * keys.rows, keys.rows,
                               scratch);
    }
    return scores;
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const Matrices queries(saved[0]), keys(saved[1]);
    const auto d_scores = incoming[0].contiguous();
    auto d_query = torch::empty_like(saved[0]), d_key = torch::empty_like(saved[1]);
    float* scratch = thread_scratch(kernels::l1_score_gradients_scratch(keys.rows, keys.dim));
    for (size_t i = 0; i < static_cast<size_t>(d_scores.size(0)); ++i) {
      kernels::l1_score_gradients({kernels::ScoreKind::l1, keys.dim}, queries[i], keys[i],
                                  d_scores.data_ptr<float>() + i * queries.rows * keys.rows,
                                  keys.rows,
                                  d_query.data_ptr<float>() + i * queries.rows * keys.dim,
                                  d_key.data_ptr<float>() + i * keys.rows * keys.dim, scratch);
    }
    return {d_query, d_key};
  }
};

}  // namespace

torch::Tensor fused_l1_scores(const torch::Tensor& query, const torch::Tensor& key) {
  auto shape = query.sizes().vec();
  shape.back() = key.size(-2);
  const auto flat = [](const torch::Tensor& x) {
    return x.contiguous().view({-1, x.size(-2), x.size(-1)});
  };
  if (query.numel() == 0 || key.numel() == 0) {  // view() cannot guess a size then.
    return torch::cdist(query.contiguous(), key.contiguous(), /*p=*/1.0).neg();
  }
  return L1Scores::apply(flat(query), flat(key)).view(shape);
}

torch::Tensor dot_scores(const torch::Tensor& query, const torch::Tensor& key) {
  return torch::matmul(query, key.transpose(-2, -1));
}

torch::Tensor l1_scores(const torch::Tensor& query, const torch::Tensor& key) {
  if (fused_kernels_take(query)) return fused_l1_scores(query, key);
  // The device-generic path: cdist keeps no head_dim axis, broadcasting query − key would.
  return torch::cdist(query.contiguous(), key.contiguous(), /*p=*/1.0).neg();
}

}  // namespace eatt
