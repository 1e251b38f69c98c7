#include "runtime/layers/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "bundle/expected_tensors.h"
#include "kernels/isa.h"
#include "kernels/selection/selection.h"
#include "runtime/int8/quantize.h"

namespace eatt {

namespace {

// Weights [out, in] and a bias [out].
struct FloatLinear {
  std::vector<float> weight;
  std::vector<float> bias;  // Empty: none.
};

// Multiplies the outputs of each head by its factor.
void scale(const HeadFactors& factors, FloatLinear& linear) {
  if (factors.empty()) return;
  for (std::vector<float>* values : {&linear.weight, &linear.bias}) {
    const size_t per_head = values->size() / factors.size();
    for (size_t i = 0; i < values->size(); ++i)
      (*values)[i] *= static_cast<float>(factors[i / per_head]);
  }
}

// Packs the tensors of a float32 model into memory that the model owns.
class FloatWeights : public WeightReader {
 public:
  FloatWeights(const Architecture& architecture, const FloatTensors& tensors)
      : WeightReader(architecture), tensors_(tensors), model_dim_(architecture.model_dim) {}

  Precision precision() const override { return Precision::float32; }

  std::span<const float> floats(const std::string& name) const override { return tensors_(name); }

  Linear linear(const std::string&, size_t in, const std::vector<FloatMap>& maps) override {
    const FloatLinear joined = side_by_side(maps);
    return pack(joined.weight, in, joined.bias.empty() ? nullptr : own_copy(joined.bias));
  }

  SelectionWeights selection(const std::string&, const std::vector<FloatMap>& maps,
                             bool panels) override {
    const FloatLinear joined = side_by_side(maps);
    const size_t in = model_dim_, out = joined.weight.size() / in;
    float* packed = nullptr;
    if (panels) {
      packed = own(kernels::selection_panels_size(in, out));
      kernels::pack_selection_panels(joined.weight.data(), in, out, packed);
    } else {
      packed = own(in * out);
      kernels::pack_selection_rows(joined.weight.data(), in, out, packed);
    }
    return {in, out, panels, FloatSelection{packed, own_copy(joined.bias)}};
  }

  const float* selection_units(const std::string&) const override { return nullptr; }

  HeadFactors score_factors(Role role, const std::string& attention) const override {
    return eatt::score_factors(architecture(), role, attention, tensors_);
  }

  Embeddings embeddings() override {
    const Architecture& a = architecture();
    const bool own_matrix = a.embeddings == EmbeddingSharing::none;
    const auto output =
        tensors_(own_matrix ? "decoder.output_projection.weight" : target_embedding_name(a));
    return {.source = tensors_(source_embedding_name(a)).data(),
            .target = tensors_(target_embedding_name(a)).data(),
            .output = pack(output, model_dim_, nullptr)};
  }

 private:
  const float* own_copy(const std::vector<float>& values) {
    float* memory = own(values.size());
    std::ranges::copy(values, memory);
    return memory;
  }

  FloatLinear read(const FloatMap& map) const {
    const auto weight = tensors_(map.name + ".weight");
    FloatLinear linear;
    linear.weight.assign(weight.begin(), weight.end());
    if (map.weight_factor != 1) {
      for (float& value : linear.weight) value *= map.weight_factor;
    }
    if (map.has_bias) {
      const auto bias = tensors_(map.name + ".bias");
      linear.bias.assign(bias.begin(), bias.end());
    }
    scale(map.head_factors, linear);
    return linear;
  }

  FloatLinear side_by_side(const std::vector<FloatMap>& maps) const {
    FloatLinear joined;
    for (const FloatMap& map : maps) {
      const FloatLinear one = read(map);
      joined.weight.insert(joined.weight.end(), one.weight.begin(), one.weight.end());
      joined.bias.insert(joined.bias.end(), one.bias.begin(), one.bias.end());
    }
    return joined;
  }

  Linear pack(std::span<const float> weight, size_t in, const float* bias) {
    const size_t out = weight.size() / in;
    float* panels = own(kernels::float_panels_size(in, out));
    kernels::pack_float_panels(weight.data(), in, out, panels);
    return kernels::FloatMatrix{in, out, panels, bias};
  }

  const FloatTensors& tensors_;
  size_t model_dim_;
};

}  // namespace

Model make_float_model(const Architecture& architecture, const FloatTensors& tensors) {
  FloatWeights weights(architecture, tensors);
  return make_model(weights);
}

namespace {

AttentionLayerWeights attention_layer(WeightReader& weights, Role role, size_t layer) {
  const std::string prefix = attention_prefix(role, layer), output = prefix + "out_proj";
  const size_t width = weights.architecture().attention_dim;
  return {.mechanism = make_mechanism(weights, role, layer),
          .output = weights.linear(output, width, {{output}}),
          .norm = weights.norm(prefix.substr(0, prefix.size() - 1) + "_layer_norm")};
}

FeedForwardWeights feed_forward_layer(WeightReader& weights, Stack stack, size_t layer) {
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
  if (architecture_.threshold.learned) {
    const auto learned = floats(name);
    if (architecture_.code_levels == 0) return {learned.data(), /*per_feature=*/true};
    float* values = own(learned.size());
    for (size_t i = 0; i < learned.size(); ++i) {
      values[i] = std::max(learned[i], static_cast<float>(kLeastSignedThreshold));
    }
    return {values, /*per_feature=*/true};
  }
  float* value = own(1);
  *value = static_cast<float>(architecture_.threshold.value);
  return {value, /*per_feature=*/false};
}

// From large chunks, which come in large pages.
std::byte* WeightReader::own_bytes(size_t size) {
  constexpr size_t kCacheLine = 64, kChunk = size_t{32} << 20;
  const size_t bytes = (size + kCacheLine - 1) / kCacheLine * kCacheLine;
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
          fmt::format("{}: is an int8 bundle and cannot run in float32; use the "
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
