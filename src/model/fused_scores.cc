#include "model/fused_scores.h"

#include "kernels/attention/attention.h"
#include "model/thread_scratch.h"

namespace eatt {
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

}  // namespace eatt
