#include "energy/counted_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "runtime/int8/quantize.h"
#include "runtime/layers/transformer.h"
#include "runtime/layers/weight_reader.h"
#include "support/int8_numbers.h"

namespace eatt::energy::testing {
namespace {

using eatt::testing::product_number;
using eatt::testing::selection_number;

template <class Element, class Value>
Tensor<Element> matrix_of(std::span<const Value> values, size_t columns) {
  Tensor<Element> tensor(Data::weights, values.size() / columns, columns);
  for (size_t i = 0; i < values.size(); ++i) tensor.put(i / columns, i % columns, {values[i]});
  return tensor;
}

template <class Element = Fp32, class Value>
Tensor<Element> row_of(std::span<const Value> values) {
  return matrix_of<Element>(values, values.size());
}

// Outputs of a matrix that several linear maps share.
struct Outputs {
  const Int8Part& part;
  size_t first;
  size_t count;
};

class Reader {
 public:
  Reader(const Bundle& bundle, Precision precision)
      : bundle_(bundle), a_(bundle.architecture()), model_dim_(a_.model_dim) {
    if (precision == Precision::float32) return;
    parts_ = int8_parts(a_);
    quantized_.emplace(quantize(bundle));
  }

  CountedWeights read(size_t longest) {
    const std::string target = target_embedding(a_);
    CountedWeights weights{
        .source_embedding = product(source_embedding(a_), model_dim_),
        .target_embedding = product(target, model_dim_),
        .vocabulary =
            product(a_.embeddings == EmbeddingSharing::none ? "decoder.output_projection" : target,
                    model_dim_),
        .positions = matrix_of<Fp32>(std::span<const float>(sinusoidal_rows(longest, model_dim_)),
                                     model_dim_),
        .encoder = {},
        .decoder = {},
        .encoder_norm = {},
        .decoder_norm = {},
        .memory_threshold = {}};
    for (size_t i = 0; i < a_.encoder_self.layers.size(); ++i)
      weights.encoder.push_back({attention(Role::encoder_self, i), feed_forward("encoder", i)});
    for (size_t i = 0; i < a_.decoder_self.layers.size(); ++i) {
      weights.decoder.push_back({attention(Role::decoder_self, i), attention(Role::cross, i),
                                 feed_forward("decoder", i)});
    }
    if (a_.norm == NormPlacement::pre) {
      weights.encoder_norm = norm("encoder.layer_norm");
      weights.decoder_norm = norm("decoder.layer_norm");
    }
    if (std::ranges::any_of(a_.cross.layers, binarises))
      weights.memory_threshold = threshold("decoder.cross_attn.k_threshold");
    return weights;
  }

 private:
  std::span<const float> floats(const std::string& name) const {
    return bundle_.weights().values<float>(name);
  }

  Norm norm(const std::string& name) const {
    return {row_of(floats(name + ".weight")), row_of(floats(name + ".bias"))};
  }

  Tensor<Fp32> threshold(const std::string& name) const {
    if (a_.threshold.learned) {
      const auto learned = floats(name);
      std::vector<float> values(learned.begin(), learned.end());
      // Signed codes need thresholds above 0.
      for (float& value : values) value = a_.code_levels > 0 ? std::max(value, 1e-3f) : value;
      return row_of(std::span<const float>(values));
    }
    const auto value = static_cast<float>(a_.threshold.value);
    return row_of(std::span<const float>(&value, 1));
  }

  // Values of a matrix or bias times the factor of their head, if there are factors.
  std::vector<float> scaled(const std::string& name, const std::vector<double>& factors) const {
    const auto given = floats(name);
    std::vector<float> values(given.begin(), given.end());
    for (size_t i = 0; !factors.empty() && i < values.size(); ++i)
      values[i] *= static_cast<float>(factors[i * factors.size() / values.size()]);
    return values;
  }

  bool has_bias(const std::string& name) const {
    return bundle_.weights().find(name + ".bias") != nullptr;
  }

  // Where the int8 model has the outputs of this linear map.
  Outputs outputs(const std::string& name) const {
    for (const Int8Part& part : parts_) {
      size_t first = 0;
      for (const Int8Part::Source& source : part.sources) {
        if (source.name == name) return {part, first, source.out};
        first += source.out;
      }
    }
    throw InternalError(name + " is no linear map of the int8 model");
  }

  Product product(const std::string& name, size_t in, const std::vector<double>& factors = {}) {
    if (quantized_) return int8_product(name);
    const std::vector<float> weight = scaled(name + ".weight", factors);
    Product product{FloatMatrix{matrix_of<Fp32>(std::span<const float>(weight), in)}, {}};
    if (has_bias(name)) {
      const std::vector<float> bias = scaled(name + ".bias", factors);
      product.bias = row_of(std::span<const float>(bias));
    }
    return product;
  }

  Product int8_product(const std::string& name) const {
    const auto [part, first, count] = outputs(name);
    Tensor<Int8> weight(Data::weights, count, part.in);
    for (size_t o = 0; o < count; ++o) {
      for (size_t i = 0; i < part.in; ++i)
        weight.put(o, i, {product_number(*quantized_, part.name, first + o, i, part.in)});
    }
    const auto scales = quantized_->values<float>(part.name + ".scales").subspan(first, count);
    Product product{Int8Matrix{std::move(weight), row_of(scales)}, {}};
    if (part.has_bias)
      product.bias = row_of(quantized_->values<float>(part.name + ".bias").subspan(first, count));
    return product;
  }

  Selection selection(const std::string& name, const std::vector<double>& factors) const {
    if (quantized_) return int8_selection(name);
    std::vector<float> given = scaled(name + ".weight", factors);
    if (a_.code_levels > 0) {  // The unit of signed codes.
      for (float& weight : given) weight *= static_cast<float>(2 * a_.threshold.value);
    }
    const std::vector<float> bias = scaled(name + ".bias", factors);
    Tensor<Fp32> weight(Data::weights, model_dim_, bias.size());
    for (size_t i = 0; i < given.size(); ++i)
      weight.put(i % model_dim_, i / model_dim_, {given[i]});
    return FloatSelection{std::move(weight), row_of(std::span<const float>(bias))};
  }

  Selection int8_selection(const std::string& name) const {
    const auto [part, first, count] = outputs(name);
    Tensor<Int8> weight(Data::weights, part.in, count);
    for (size_t o = 0; o < count; ++o) {
      for (size_t i = 0; i < part.in; ++i)
        weight.put(i, o, {selection_number(*quantized_, part, first + o, i)});
    }
    const auto bias = quantized_->values<int16_t>(part.name + ".bias").subspan(first, count);
    return Int8Selection{std::move(weight), row_of<Int16>(bias)};
  }

  AttentionWeights attention(Role role, size_t layer) {
    const std::string name = attention_prefix(role, layer);
    AttentionWeights weights{.role = role,
                             .mechanism = a_.attention(role).layers[layer],
                             .query = {},
                             .key = {},
                             .query_rows = {},
                             .key_rows = {},
                             .threshold = {},
                             .units = {},
                             .columns = {},
                             .table = {},
                             .value = product(name + "v_proj", model_dim_),
                             .output = product(name + "out_proj", a_.attention_dim),
                             .norm = norm(name.substr(0, name.size() - 1) + "_layer_norm")};
    if (weights.mechanism == Mechanism::dense) {
      weights.query = product(name + "w1", model_dim_);
      weights.columns = dense_columns(name + "w2.weight");
    } else if (weights.mechanism == Mechanism::randinit) {
      weights.table = matrix_of<Fp32>(floats(name + "score_table"), a_.max_length);
    } else {
      add_queries_and_keys(name, weights);
    }
    return weights;
  }

  void add_queries_and_keys(const std::string& name, AttentionWeights& weights) {
    const auto factors = score_factors(a_, weights.role, name,
                                       [&](std::string_view n) { return floats(std::string(n)); });
    const auto key_factors =
        scores_by_distance(weights.mechanism) ? factors : std::vector<double>{};
    if (!binarises(weights.mechanism)) {
      weights.query = product(name + "q_proj", model_dim_, factors);
      weights.key = product(name + "k_proj", model_dim_, key_factors);
      return;
    }
    weights.query_rows = selection(name + "q_proj", factors);
    weights.key_rows = selection(name + "k_proj", key_factors);
    weights.threshold =
        threshold(name + (weights.role == Role::cross ? "q_threshold" : "threshold"));
    if (quantized_) {
      const auto units = quantized_->values<float>(outputs(name + "q_proj").part.name + ".scales");
      weights.units = row_of(units);
    }
  }

  // W2 [heads, max_length, n] as a row for each position.
  Tensor<Fp32> dense_columns(const std::string& name) const {
    const auto given = floats(name);
    const size_t n = a_.qk_head_dim();
    const size_t longest = a_.max_length;
    Tensor<Fp32> columns(Data::weights, longest, a_.qk_dim);
    for (size_t i = 0; i < given.size(); ++i) {
      const size_t head = i / n / longest, position = i / n % longest;
      columns.put(position, head * n + i % n, {given[i]});
    }
    return columns;
  }

  FeedForwardWeights feed_forward(const std::string& stack, size_t layer) {
    const std::string name = fmt::format("{}.layers.{}.", stack, layer);
    return {product(name + "fc1", model_dim_), product(name + "fc2", a_.ffn_dim),
            norm(name + "ffn_layer_norm")};
  }

  const Bundle& bundle_;
  const Architecture& a_;
  size_t model_dim_;
  std::vector<Int8Part> parts_;            // In int8.
  std::optional<NamedTensors> quantized_;  // In int8.
};

}  // namespace

CountedWeights read_counted_weights(const Bundle& bundle, Precision precision, size_t longest) {
  return Reader(bundle, precision).read(longest);
}

}  // namespace eatt::energy::testing
