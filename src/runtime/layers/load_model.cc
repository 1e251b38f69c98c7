#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/isa.h"
#include "runtime/int8/quantize.h"
#include "runtime/layers/model.h"

namespace eatt {
namespace {

AttentionLayer attention_layer(WeightReader& weights, Role role, size_t layer) {
  const std::string prefix = attention_prefix(role, layer), output = prefix + "out_proj";
  const size_t width = weights.architecture().attention_dim;
  return {.mechanism = make_mechanism(weights, role, layer),
          .output = weights.linear(output, width, {{output}}),
          .norm = weights.norm(prefix.substr(0, prefix.size() - 1) + "_layer_norm")};
}

FeedForwardLayer feed_forward_layer(WeightReader& weights, Stack stack, size_t layer) {
  const Architecture& a = weights.architecture();
  const std::string prefix = fmt::format("{}.layers.{}.", name_of(stack), layer);
  const std::string first = prefix + "fc1", second = prefix + "fc2";
  return {.place = {stack, layer + 1, SubLayer::feed_forward},
          .first = weights.linear(first, a.model_dim, {{first}}),
          .second = weights.linear(second, a.ffn_dim, {{second}}),
          .norm = weights.norm(prefix + "ffn_layer_norm")};
}

}  // namespace

std::string attention_prefix(Role role, size_t layer) {
  return fmt::format("{}.layers.{}.{}.", role == Role::encoder_self ? "encoder" : "decoder", layer,
                     role == Role::cross ? "cross_attn" : "self_attn");
}

Norm WeightReader::norm(const std::string& name) const {
  return {floats(name + ".weight").data(), floats(name + ".bias").data()};
}

kernels::CodeThreshold WeightReader::threshold(const std::string& name) {
  if (architecture_.threshold.learned) return {floats(name).data(), /*per_feature=*/true};
  float* value = own(1);
  *value = static_cast<float>(architecture_.threshold.value);
  return {value, /*per_feature=*/false};
}

// From large chunks, which come in large pages.
std::byte* WeightReader::own_bytes(size_t size) {
  constexpr size_t kLine = 64, kChunk = size_t{32} << 20;
  const size_t bytes = (size + kLine - 1) / kLine * kLine;
  if (bytes > left_) {
    left_ = precision() == Precision::float32 ? std::max(bytes, kChunk) : bytes;
    next_ = memory_.emplace_back(left_).data();
  }
  std::byte* memory = next_;
  next_ += bytes;
  left_ -= bytes;
  return memory;
}

Model make_model(WeightReader& weights) {
  const Architecture& a = weights.architecture();
  Model model;
  model.architecture = a;
  model.precision = weights.precision();
  model.embeddings = weights.embeddings();
  for (size_t i = 0; i < a.encoder_self.layers.size(); ++i) {
    model.encoder.push_back({attention_layer(weights, Role::encoder_self, i),
                             feed_forward_layer(weights, Stack::encoder, i)});
  }
  for (size_t i = 0; i < a.decoder_self.layers.size(); ++i) {
    model.decoder.push_back({attention_layer(weights, Role::decoder_self, i),
                             attention_layer(weights, Role::cross, i),
                             feed_forward_layer(weights, Stack::decoder, i)});
  }
  if (a.norm == NormPlacement::pre) {
    model.encoder_norm = weights.norm("encoder.layer_norm");
    model.decoder_norm = weights.norm("decoder.layer_norm");
  }
  model.owned = weights.take_memory();
  return model;
}

Model load_model(Bundle bundle, std::optional<Precision> precision) {
  kernels::check_forced_isa();
  const auto kept = std::make_shared<const Bundle>(std::move(bundle));
  const Architecture& architecture = kept->architecture();
  const Precision stored = kept->manifest().precision;
  const Precision wanted = precision.value_or(stored);
  Model model;
  if (stored == Precision::int8) {
    if (wanted != Precision::int8) {
      throw Error(
          fmt::format("{}: is an int8 bundle and cannot be computed in float32; take the "
                      "bundle it was made from",
                      kept->path().string()));
    }
    model = make_int8_model(architecture,
                            [&](std::string_view name) { return kept->weights().tensor(name); });
  } else if (wanted == Precision::int8) {
    const auto tensors = std::make_shared<const NamedTensors>(quantize(*kept));
    model =
        make_int8_model(architecture, [&](std::string_view name) { return *tensors->find(name); });
    model.kept.push_back(tensors);
    return model;
  } else {
    model = make_float_model(
        architecture, [&](std::string_view name) { return kept->weights().values<float>(name); });
  }
  model.kept.push_back(kept);
  return model;
}

}  // namespace eatt
