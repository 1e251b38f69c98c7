#include "model/fused_attention.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include "kernels/attention/attention.h"
#include "model/fused.h"

namespace eatt {
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
