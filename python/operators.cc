// The operators as PyTorch sees them: torch.ops.eatt.*. All take and give CPU tensors of float32;
// gradients are ours too. Shapes are checked here, since Python users call these directly.
#include <torch/library.h>
#include <torch/torch.h>

#include <tuple>

#include "kernels/attention/attention.h"
#include "kernels/isa.h"
#include "kernels/selection/signed_codes.h"
#include "model/attention_scores.h"
#include "model/selection.h"

namespace {

using torch::Tensor;

void check_floats(const Tensor& x, const char* name) {
  TORCH_CHECK(x.is_cpu() && x.scalar_type() == torch::kFloat, name, " is ", x.toString(),
              ", expected a float32 tensor on the CPU");
}

struct HeadShape {
  int64_t batch, query_len, key_len;
};

HeadShape check_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          int64_t heads) {
  check_floats(query, "query");
  check_floats(key, "key");
  check_floats(value, "value");
  TORCH_CHECK(query.dim() == 3 && key.dim() == 3 && value.dim() == 3,
              "query, key and value must be [batch, length, heads * features]");
  TORCH_CHECK(key.size(0) == query.size(0) && value.size(0) == query.size(0),
              "query, key and value differ in batch size");
  TORCH_CHECK(key.size(2) == query.size(2), "query has ", query.size(2), " features, key ",
              key.size(2));
  TORCH_CHECK(value.size(1) == key.size(1), "there are ", key.size(1), " keys but ", value.size(1),
              " values");
  TORCH_CHECK(heads > 0 && query.size(2) % heads == 0 && value.size(2) % heads == 0,
              "features cannot be shared out among ", heads, " heads");
  return {query.size(0), query.size(1), key.size(1)};
}

std::tuple<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                     int64_t heads, c10::string_view scores, double scale,
                                     const c10::optional<Tensor>& key_lengths, bool causal,
                                     double dropout, int64_t seed, bool need_weights) {
  const HeadShape shape = check_attention(query, key, value, heads);
  TORCH_CHECK(scores == "l1" || scores == "dot", "scores is '", scores, "', expected l1 or dot");
  TORCH_CHECK(dropout >= 0 && dropout < 1, "dropout is ", dropout, ", expected 0 <= dropout < 1");
  TORCH_CHECK(!causal || shape.query_len == shape.key_len,
              "causal attention needs as many queries as keys");
  const auto lengths = key_lengths.has_value()
                           ? key_lengths->to(torch::kCPU, torch::kLong).contiguous()
                           : torch::full({shape.batch}, shape.key_len, torch::kLong);
  TORCH_CHECK(lengths.dim() == 1 && lengths.size(0) == shape.batch, "key_lengths must be [batch]");
  TORCH_CHECK(shape.batch == 0 || (lengths.min().item<int64_t>() >= 0 &&
                                   lengths.max().item<int64_t>() <= shape.key_len),
              "key_lengths must lie between 0 and the number of keys, ", shape.key_len);
  const auto mask =
      eatt::AttentionMask::from_lengths(lengths, shape.key_len, causal, shape.query_len);
  const eatt::FusedAttentionOptions options = {
      .kind = scores == "l1" ? eatt::kernels::ScoreKind::l1 : eatt::kernels::ScoreKind::dot,
      .heads = heads,
      .factor = scale,
      .dropout = dropout,
      .dropout_seed = static_cast<uint64_t>(seed)};
  Tensor weights = torch::empty({0}, query.options());
  auto out =
      eatt::fused_attention(query, key, value, mask, options, need_weights ? &weights : nullptr);
  return {out, weights};
}

Tensor l1_scores(const Tensor& query, const Tensor& key) {
  check_floats(query, "query");
  check_floats(key, "key");
  TORCH_CHECK(query.dim() >= 2 && key.dim() == query.dim() &&
                  query.sizes().slice(0, query.dim() - 2) == key.sizes().slice(0, key.dim() - 2) &&
                  query.size(-1) == key.size(-1),
              "query must be [..., queries, features] and key [..., keys, features]");
  return eatt::fused_l1_scores(query, key);
}

Tensor binarise(const Tensor& x, const Tensor& threshold, double surrogate_width) {
  TORCH_CHECK(threshold.dim() == 0 || (threshold.dim() == 1 && threshold.size(0) == x.size(-1)),
              "threshold must be one number or one per feature");
  TORCH_CHECK(surrogate_width > 0, "surrogate_width is ", surrogate_width,
              ", expected more than 0");
  return eatt::binarise(x.contiguous(), threshold, {surrogate_width}).values;
}

Tensor signed_codes(const Tensor& x, const Tensor& threshold, int64_t levels, double unit,
                    double surrogate_width) {
  TORCH_CHECK(threshold.dim() == 0 || (threshold.dim() == 1 && threshold.size(0) == x.size(-1)),
              "threshold must be one number or one per feature");
  TORCH_CHECK(threshold.gt(0).all().item<bool>(), "thresholds of signed codes must be above 0");
  TORCH_CHECK(levels >= 1 && levels <= static_cast<int64_t>(eatt::kernels::kMostCodeLevels),
              "levels is ", levels, ", expected 1 to ", eatt::kernels::kMostCodeLevels);
  TORCH_CHECK(surrogate_width > 0, "surrogate_width is ", surrogate_width,
              ", expected more than 0");
  return eatt::signed_codes(x.contiguous(), threshold,
                            {.levels = static_cast<size_t>(levels), .unit = unit},
                            {surrogate_width})
      .values;
}

Tensor selective_linear(const Tensor& x, const Tensor& threshold, const Tensor& weight,
                        const Tensor& bias, double surrogate_width) {
  check_floats(x, "x");
  check_floats(weight, "weight");
  check_floats(bias, "bias");
  check_floats(threshold, "threshold");
  TORCH_CHECK(x.dim() >= 2, "x must be [..., tokens, features]");
  TORCH_CHECK(weight.dim() == 2 && weight.size(1) == x.size(-1), "weight must be [out, ",
              x.size(-1), "]");
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == weight.size(0), "bias must be [", weight.size(0),
              "]");
  TORCH_CHECK(threshold.dim() == 0 || (threshold.dim() == 1 && threshold.size(0) == x.size(-1)),
              "threshold must be one number or one per feature");
  TORCH_CHECK(surrogate_width > 0, "surrogate_width is ", surrogate_width,
              ", expected more than 0");
  return eatt::selective_linear(eatt::binarise(x.contiguous(), threshold, {surrogate_width}),
                                weight, bias);
}

std::string instruction_set() {
  eatt::kernels::check_forced_isa();
  return std::string(eatt::kernels::chosen_isa().name);
}

}  // namespace

TORCH_LIBRARY(eatt, library) {
  library.def(
      "attention(Tensor query, Tensor key, Tensor value, int heads, str scores='l1', "
      "float scale=1.0, Tensor? key_lengths=None, bool causal=False, float dropout=0.0, "
      "int seed=0, bool need_weights=False) -> (Tensor, Tensor)",
      attention);
  library.def("l1_scores(Tensor query, Tensor key) -> Tensor", l1_scores);
  library.def("binarise(Tensor x, Tensor threshold, float surrogate_width=1.0) -> Tensor",
              binarise);
  library.def(
      "signed_codes(Tensor x, Tensor threshold, int levels, float unit, float surrogate_width=1.0) "
      "-> Tensor",
      signed_codes);
  library.def(
      "selective_linear(Tensor x, Tensor threshold, Tensor weight, Tensor bias, "
      "float surrogate_width=1.0) -> Tensor",
      selective_linear);
  library.def("instruction_set() -> str", instruction_set);
}
