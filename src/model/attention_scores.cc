#include "model/attention_scores.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <limits>

#include "base/error.h"
#include "kernels/attention/attention.h"
#include "model/building_blocks.h"

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
    return chunked_l1_scores(query, key, l1_keys_at_once(query, key));
  }
  return L1Scores::apply(flat(query), flat(key)).view(shape);
}

torch::Tensor dot_scores(const torch::Tensor& query, const torch::Tensor& key) {
  return torch::matmul(query, key.transpose(-2, -1));
}

torch::Tensor l1_scores(const torch::Tensor& query, const torch::Tensor& key) {
  if (fused_kernels_take(query)) return fused_l1_scores(query, key);
  return chunked_l1_scores(query, key, l1_keys_at_once(query, key));
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// [batch, len, heads·n], without gaps.
template <typename T>
kernels::HeadRows<T> head_rows(const torch::Tensor& x, int64_t heads) {
  const auto width = static_cast<size_t>(x.size(2));
  return {x.data_ptr<float>(), static_cast<size_t>(x.size(1)) * width, width,
          width / static_cast<size_t>(heads)};
}

kernels::Attention describe(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, const torch::Tensor& key_lengths,
                            bool causal, const FusedAttentionOptions& options) {
  const auto size = [](int64_t n) { return static_cast<size_t>(n); };
  kernels::Attention attention = {.kind = options.kind,
                                  .batch = size(query.size(0)),
                                  .heads = size(options.heads),
                                  .query_len = size(query.size(1)),
                                  .key_len = size(key.size(1)),
                                  .head_dim = size(query.size(2) / options.heads),
                                  .value_dim = size(value.size(2) / options.heads),
                                  .factor = static_cast<float>(options.factor)};
  if (key_lengths.defined()) attention.key_lengths = key_lengths.data_ptr<int64_t>();
  attention.causal = causal;
  attention.drops = options.dropout > 0;
  if (attention.drops)
    attention.dropout = {kernels::dropout_rate(options.dropout), options.dropout_seed};
  return attention;
}

// Heads in parts, each with scratch memory of its thread.
template <typename Pass>
void for_all_heads(const kernels::Attention& attention, size_t scratch_size, const Pass& pass) {
  // Below this many multiplications and additions another thread costs more than it gains.
  constexpr size_t kWorthAThread = 1 << 20;
  const size_t work =
      attention.query_len * attention.key_len * (attention.head_dim + attention.value_dim) + 1;
  at::parallel_for(0, static_cast<int64_t>(attention.head_count()),
                   static_cast<int64_t>(kWorthAThread / work + 1), [&](int64_t begin, int64_t end) {
                     pass(static_cast<size_t>(begin), static_cast<size_t>(end),
                          thread_scratch(scratch_size));
                   });
}

// Arguments that no gradient flows to; libtorch wants every tensor among the others to be defined.
struct Unchanging {
  torch::Tensor key_lengths;  // As in AttentionMask.
  bool causal;
  torch::Tensor* weights;
};

struct FusedAttention : torch::autograd::Function<FusedAttention> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& query_in,
                               const torch::Tensor& key_in, const torch::Tensor& value_in,
                               const Unchanging& fixed, const FusedAttentionOptions& options) {
    torch::Tensor* weights = fixed.weights;
    const auto query = query_in.contiguous(), key = key_in.contiguous();
    const auto value = value_in.contiguous();
    const auto attention = describe(query, key, value, fixed.key_lengths, fixed.causal, options);
    const auto out = torch::empty({query.size(0), query.size(1), value.size(2)}, query.options());
    const auto log_sums =
        torch::empty({query.size(0), options.heads, query.size(1)}, query.options());
    if (weights != nullptr) {
      *weights =
          torch::empty({query.size(0), options.heads, query.size(1), key.size(1)}, query.options());
    }
    const kernels::AttentionForward tensors = {
        head_rows<const float>(query, options.heads),
        head_rows<const float>(key, options.heads),
        head_rows<const float>(value, options.heads),
        head_rows<float>(out, options.heads),
        log_sums.data_ptr<float>(),
        weights != nullptr ? weights->data_ptr<float>() : nullptr};
    for_all_heads(attention, attention_forward_scratch(attention),
                  [&](size_t begin, size_t end, float* scratch) {
                    attention_forward(attention, tensors, begin, end, scratch);
                  });
    context->save_for_backward({query, key, value, out, log_sums, fixed.key_lengths});
    auto& saved = context->saved_data;
    saved["causal"] = fixed.causal;
    saved["kind"] = static_cast<int64_t>(options.kind);
    saved["heads"] = options.heads;
    saved["factor"] = options.factor;
    saved["dropout"] = options.dropout;
    saved["seed"] = static_cast<int64_t>(options.dropout_seed);
    return out;
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto kept = context->get_saved_variables();
    auto& saved = context->saved_data;
    const FusedAttentionOptions options = {
        .kind = static_cast<kernels::ScoreKind>(saved["kind"].toInt()),
        .heads = saved["heads"].toInt(),
        .factor = saved["factor"].toDouble(),
        .dropout = saved["dropout"].toDouble(),
        .dropout_seed = static_cast<uint64_t>(saved["seed"].toInt())};
    const auto &query = kept[0], &key = kept[1], &value = kept[2], &out = kept[3];
    const auto attention = describe(query, key, value, kept[5], saved["causal"].toBool(), options);
    const auto d_out = incoming[0].contiguous();
    const auto d_query = torch::empty_like(query), d_key = torch::empty_like(key);
    const auto d_value = torch::empty_like(value);
    const kernels::AttentionBackward tensors = {
        head_rows<const float>(query, options.heads), head_rows<const float>(key, options.heads),
        head_rows<const float>(value, options.heads), head_rows<const float>(out, options.heads),
        head_rows<const float>(d_out, options.heads), kept[4].data_ptr<float>(),
        head_rows<float>(d_query, options.heads),     head_rows<float>(d_key, options.heads),
        head_rows<float>(d_value, options.heads)};
    for_all_heads(attention, attention_backward_scratch(attention),
                  [&](size_t begin, size_t end, float* scratch) {
                    attention_backward(attention, tensors, begin, end, scratch);
                  });
    return {d_query, d_key, d_value, {}, {}};
  }
};

}  // namespace

bool fused_attention_takes(const torch::Tensor& query, const torch::Tensor& value) {
  return fused_kernels_take(query) && fused_kernels_take(value);
}

torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, const AttentionMask& mask,
                              const FusedAttentionOptions& options, torch::Tensor* weights) {
  RECORD_FUNCTION("eatt::attention", c10::ArrayRef<const c10::IValue>{});
  return FusedAttention::apply(query, key, value,
                               Unchanging{mask.key_lengths(), mask.causal(), weights}, options);
}

}  // namespace eatt
