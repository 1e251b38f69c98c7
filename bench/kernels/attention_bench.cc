// Attention of our kernels against libtorch's and the machine's BLAS, on one thread. Prints a line
// per figure: name, value, goal, holds|short|information. Results are compared before anything is
// timed.
//
//   attention_bench [--quick]
#include <torch/torch.h>

#include <cstring>

#include "baseline.h"
#include "kernels/attention/attention.h"
#include "measure.h"

namespace eatt::bench {
namespace {

using kernels::ScoreKind;

constexpr int64_t kHeadDim = 64;

size_t size(int64_t n) { return static_cast<size_t>(n); }

void require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what + ": results differ");
}

// Queries, keys, values and gradients of many heads, [heads, length, head_dim] without gaps, and
// what our kernels leave.
struct Heads {
  Heads(int64_t count, int64_t len) : heads(count), length(len) {
    for (auto* x : {&query, &key, &value, &d_out}) *x = torch::randn({heads, length, kHeadDim});
    for (auto* x : {&out, &d_query, &d_key, &d_value}) *x = torch::empty_like(query);
    log_sums = torch::empty({heads, length});
    scores = torch::randn({heads, length, length});
  }

  kernels::Attention attention(ScoreKind kind) const {
    return {.kind = kind,
            .batch = size(heads),
            .heads = 1,
            .query_len = size(length),
            .key_len = size(length),
            .head_dim = kHeadDim,
            .value_dim = kHeadDim,
            .factor = 0.125f};
  }

  template <typename T>
  kernels::HeadRows<T> rows(const torch::Tensor& x) const {
    return {x.data_ptr<float>(), size(length * kHeadDim), kHeadDim, kHeadDim};
  }

  void forward(ScoreKind kind) {
    const auto a = attention(kind);
    scratch.resize(attention_forward_scratch(a));
    const kernels::AttentionForward tensors = {rows<const float>(query),   rows<const float>(key),
                                               rows<const float>(value),   rows<float>(out),
                                               log_sums.data_ptr<float>(), nullptr};
    attention_forward(a, tensors, 0, a.head_count(), scratch.data());
  }

  void backward(ScoreKind kind) {
    const auto a = attention(kind);
    scratch.resize(attention_backward_scratch(a));
    const kernels::AttentionBackward tensors = {
        rows<const float>(query), rows<const float>(key),   rows<const float>(value),
        rows<const float>(out),   rows<const float>(d_out), log_sums.data_ptr<float>(),
        rows<float>(d_query),     rows<float>(d_key),       rows<float>(d_value)};
    attention_backward(a, tensors, 0, a.head_count(), scratch.data());
  }

  // d query and d key from given gradients of L1 scores.
  void score_gradients() {
    scratch.resize(kernels::l1_score_gradients_scratch(size(length), kHeadDim));
    const auto step = length * kHeadDim;
    for (int64_t h = 0; h < heads; ++h) {
      kernels::l1_score_gradients({ScoreKind::l1, kHeadDim, 1.0f},
                                  {query.data_ptr<float>() + h * step, size(length), kHeadDim},
                                  {key.data_ptr<float>() + h * step, size(length), kHeadDim},
                                  scores.data_ptr<float>() + h * length * length, size(length),
                                  d_query.data_ptr<float>() + h * step,
                                  d_key.data_ptr<float>() + h * step, scratch.data());
    }
  }

  int64_t heads, length;
  torch::Tensor query, key, value, d_out, out, d_query, d_key, d_value, log_sums, scores;
  std::vector<float> scratch;
};

// libtorch's way: products and softmax with everything in memory.
struct Libtorch {
  explicit Libtorch(const Heads& heads) : h(heads) {}

  void forward() {
    weights = torch::softmax(torch::bmm(h.query, h.key.transpose(1, 2)).mul_(0.125), -1);
    out = torch::bmm(weights, h.value);
  }

  void backward() {
    d_value = torch::bmm(weights.transpose(1, 2), h.d_out);
    const auto d_weights = torch::bmm(h.d_out, h.value.transpose(1, 2));
    const auto d_scores =
        at::_softmax_backward_data(d_weights, weights, -1, torch::kFloat).mul_(0.125);
    d_query = torch::bmm(d_scores, h.key);
    d_key = torch::bmm(d_scores.transpose(1, 2), h.query);
  }

  void score_gradients() {
    d_query = torch::bmm(h.scores, h.key);
    d_key = torch::bmm(h.scores.transpose(1, 2), h.query);
  }

  const Heads& h;
  torch::Tensor weights, out, d_query, d_key, d_value;
};

// The gradients of distances, by libtorch.
struct Cdist {
  explicit Cdist(const Heads& heads)
      : h(heads), distances(torch::cdist(heads.query, heads.key, 1.0)) {}
  void score_gradients() {
    // Scores are negative distances.
    const auto d_distances = h.scores.neg();
    d_query = at::_cdist_backward(d_distances, h.query, h.key, 1.0, distances);
    d_key = at::_cdist_backward(d_distances.transpose(1, 2).contiguous(), h.key, h.query, 1.0,
                                distances.transpose(1, 2).contiguous());
  }
  const Heads& h;
  torch::Tensor distances, d_query, d_key;
};

bool close(const torch::Tensor& a, const torch::Tensor& b) {
  return torch::allclose(a, b, /*rtol=*/1e-3, /*atol=*/1e-3);
}

void compare_scores(int64_t length, size_t rounds) {
  const auto query = torch::randn({length, kHeadDim}), key = torch::randn({length, kHeadDim});
  const auto scores = torch::empty({length, length}), product = torch::empty({length, length});
  std::vector<float> scratch(kernels::pairwise_scores_scratch(size(length), kHeadDim));
  const auto ours = [&] {
    kernels::pairwise_scores({ScoreKind::l1, kHeadDim, -1.0f},
                             {query.data_ptr<float>(), size(length), kHeadDim},
                             {key.data_ptr<float>(), size(length), kHeadDim},
                             scores.data_ptr<float>(), size(length), scratch.data());
  };
  torch::Tensor distances;
  const auto cdist = [&] { distances = torch::cdist(query, key, 1.0); };
  ours();
  cdist();
  require(close(scores, distances), "L1 scores");
  const std::string suffix = fmt::format(", length {}", length);
  print_information("torch::cdist over L1 scores" + suffix, 1 / median_ratio(ours, cdist, rounds));
  std::vector<std::function<void()>> others;
  for (const Sgemm& sgemm : available_sgemms()) {
    others.emplace_back([&] {
      sgemm.row_major_nt(size(length), size(length), kHeadDim, query.data_ptr<float>(), kHeadDim,
                         key.data_ptr<float>(), kHeadDim, product.data_ptr<float>(), size(length));
    });
  }
  if (others.empty()) {
    print_skipped("L1 scores over sgemm" + suffix, "-", "no BLAS found");
    return;
  }
  print_information("L1 scores over sgemm" + suffix, median_ratio_to_best(ours, others, rounds));
}

// Our L1 attention and its gradients against cdist, softmax and bmm with libtorch's gradients.
void require_l1_attention(Heads& h) {
  h.forward(ScoreKind::l1);
  h.backward(ScoreKind::l1);
  const torch::AutoGradMode with_gradients(true);
  const auto leaf = [](const torch::Tensor& x) { return x.detach().clone().requires_grad_(); };
  const auto query = leaf(h.query), key = leaf(h.key), value = leaf(h.value);
  const auto weights = torch::softmax(torch::cdist(query, key, 1.0).mul(-0.125), -1);
  const auto out = torch::bmm(weights, value);
  out.backward(h.d_out);
  require(close(h.out, out), "L1 attention");
  require(close(h.d_query, query.grad()) && close(h.d_key, key.grad()) &&
              close(h.d_value, value.grad()),
          "gradients of L1 attention");
}

void compare_attention(int64_t heads, int64_t length, size_t rounds) {
  Heads h(heads, length);
  Libtorch libtorch(h);
  libtorch.forward();
  libtorch.backward();
  h.forward(ScoreKind::dot);
  h.backward(ScoreKind::dot);
  require(close(h.out, libtorch.out), "dot attention");
  require(close(h.d_query, libtorch.d_query) && close(h.d_key, libtorch.d_key) &&
              close(h.d_value, libtorch.d_value),
          "gradients of dot attention");
  require_l1_attention(h);
  Cdist cdist(h);
  cdist.score_gradients();
  h.score_gradients();
  require(close(h.d_query, cdist.d_query) && close(h.d_key, cdist.d_key), "gradients of L1 scores");

  const std::string suffix = fmt::format(", {} heads, length {}", heads, length);
  const auto l1 = [&] { h.forward(ScoreKind::l1); };
  print_information("L1 forward over bmm, softmax, bmm" + suffix,
                    median_ratio(
                        l1, [&] { libtorch.forward(); }, rounds));
  print_at_most("L1 forward over our dot forward" + suffix,
                median_ratio(
                    l1, [&] { h.forward(ScoreKind::dot); }, rounds),
                1.4);
  const auto gradients = [&] { h.score_gradients(); };
  print_information("gradients of L1 scores over two bmm" + suffix,
                    median_ratio(
                        gradients, [&] { libtorch.score_gradients(); }, rounds));
  print_information("cdist's backward over gradients of L1 scores" + suffix,
                    1 / median_ratio(
                            gradients, [&] { cdist.score_gradients(); }, rounds));
  h.forward(ScoreKind::l1);
  print_information(
      "L1 backward over libtorch's dot backward" + suffix,
      median_ratio([&] { h.backward(ScoreKind::l1); }, [&] { libtorch.backward(); }, rounds));
}

int run(bool quick) {
  torch::set_num_threads(1);
  torch::manual_seed(1);
  const torch::NoGradGuard no_grad;
  const size_t rounds = quick ? 21 : 101;
  for (const int64_t length : {32, 64, 128, 256}) compare_scores(length, rounds);
  compare_attention(64, 32, rounds);
  compare_attention(64, 64, rounds);
  if (quick) return 0;
  compare_attention(512, 32, rounds);
  compare_attention(64, 128, rounds);
  compare_attention(64, 512, 21);
  return 0;
}

}  // namespace
}  // namespace eatt::bench

int main(int argc, char** argv) {
  try {
    return eatt::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "attention_bench: {}\n", error.what());
    return 1;
  }
}
