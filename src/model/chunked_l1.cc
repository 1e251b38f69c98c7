#include <algorithm>

#include "base/error.h"
#include "model/attention_scores.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Differences with some keys at a time: [batch, heads, query_len, keys, head_dim]. Forward keeps
// queries and keys only, and backward computes the differences again.
struct ChunkedL1 : torch::autograd::Function<ChunkedL1> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& query,
                               const torch::Tensor& key, int64_t keys_at_once) {
    context->save_for_backward({query, key});
    context->saved_data["keys_at_once"] = keys_at_once;
    auto shape = query.sizes().vec();
    shape.back() = key.size(-2);
    auto scores = torch::empty(shape, query.options());
    for (int64_t begin = 0; begin < key.size(-2); begin += keys_at_once) {
      const int64_t keys = std::min(keys_at_once, key.size(-2) - begin);
      scores.narrow(-1, begin, keys).copy_(differences(query, key, begin, keys).abs_().sum(-1));
    }
    return scores.neg_();
  }

  // The derivative of −|q − k| is −sign(q − k) by q and sign(q − k) by k, and sign(0) is 0.
  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &query = saved[0], &key = saved[1], &d_scores = incoming[0];
    const int64_t keys_at_once = context->saved_data["keys_at_once"].toInt();
    auto d_query = torch::zeros_like(query), d_key = torch::empty_like(key);
    for (int64_t begin = 0; begin < key.size(-2); begin += keys_at_once) {
      const int64_t keys = std::min(keys_at_once, key.size(-2) - begin);
      const auto shares = differences(query, key, begin, keys)
                              .sign_()
                              .mul_(d_scores.narrow(-1, begin, keys).unsqueeze(-1));
      d_query.sub_(shares.sum(-2));
      d_key.narrow(-2, begin, keys).copy_(shares.sum(-3));
    }
    return {d_query, d_key, torch::Tensor()};
  }

 private:
  static torch::Tensor differences(const torch::Tensor& query, const torch::Tensor& key,
                                   int64_t begin, int64_t keys) {
    return query.unsqueeze(-2) - key.narrow(-2, begin, keys).unsqueeze(-3);
  }
};

}  // namespace

int64_t l1_keys_at_once(const torch::Tensor& query, const torch::Tensor& key) {
  // Fewer differences than these, 1 MB, are not worth the start of an operator.
  constexpr int64_t kLeastDifferences = 1 << 18;
  const int64_t as_scores = key.size(-2) / std::max<int64_t>(1, query.size(-1));
  const int64_t worthwhile = kLeastDifferences / std::max<int64_t>(1, query.numel());
  return std::max<int64_t>({1, as_scores, worthwhile});
}

torch::Tensor chunked_l1_scores(const torch::Tensor& query, const torch::Tensor& key,
                                int64_t keys_at_once) {
  expects(keys_at_once > 0, "a chunk has keys");
  return ChunkedL1::apply(query.contiguous(), key.contiguous(), keys_at_once);
}

}  // namespace eatt
