#include "trace/plain_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/selection/selection_int8.h"

namespace eatt::trace {
namespace {

// Sums of this many 16-bit integers are exact in floats, and so are the encoder's scores.
constexpr size_t kWidestExactHead = 256;

void check_model(const Model& model) {
  const Architecture& a = model.architecture;
  if (model.precision != Precision::int8) {
    throw Error("a float32 model computes no integers that could be traced; quantize it");
  }
  const auto head_dim = a.qk_head_dim();
  if (std::ranges::any_of(a.encoder_self.layers, has_integer_scores) &&
      head_dim > kWidestExactHead) {
    throw Error(fmt::format(
        "the heads of this model are {} wide, and above {} the encoder rounds distances; expected "
        "narrower heads, so that every integer is exact",
        head_dim, kWidestExactHead));
  }
}

std::vector<float> per_feature(const kernels::CodeThreshold& threshold, size_t dim) {
  if (threshold.per_feature) return {threshold.values, threshold.values + dim};
  return std::vector<float>(dim, *threshold.values);
}

class Unpacker : private WeightVisitor {
 public:
  Unpacker(const Model& model, PlainModel& plain)
      : model_(model),
        plain_(plain),
        heads_(model.architecture.heads),
        width_(model.architecture.model_dim),
        qk_(model.architecture.qk_dim),
        read_(model.architecture.norm == NormPlacement::pre ? ".normed" : ".residual") {}

  void run() {
    for (size_t i = 0; i < model_.encoder.size(); ++i) {
      attention(Role::encoder_self, i, model_.encoder[i].self);
      feed_forward(fmt::format("encoder.layers.{}", i), model_.encoder[i].feed_forward);
    }
    last_norm("encoder", model_.encoder_norm);
    for (size_t i = 0; i < model_.decoder.size(); ++i) {
      attention(Role::decoder_self, i, model_.decoder[i].self);
      attention(Role::cross, i, model_.decoder[i].cross);
      feed_forward(fmt::format("decoder.layers.{}", i), model_.decoder[i].feed_forward);
    }
    last_norm("decoder", model_.decoder_norm);
    product("decoder.output_projection", model_.embeddings.output, "decoder.output");
    embeddings(model_.architecture.embeddings);
  }

 private:
  static std::vector<int8_t> unpacked(const kernels::Int8Matrix& matrix) {
    std::vector<int8_t> weight(matrix.in * matrix.out);
    kernels::unpack_int8_panels(matrix.panels, matrix.in, matrix.out, weight.data());
    return weight;
  }

  void product(const std::string& name, const Linear& linear, const std::string& reads) {
    const auto& matrix = std::get<kernels::Int8Matrix>(linear);
    PlainProduct& plain = plain_.products.emplace_back();
    plain.name = name;
    plain.packed = &linear;
    plain.reads = reads;
    plain.in = matrix.in;
    plain.out = matrix.out;
    plain.weight = unpacked(matrix);
    plain.scales = {matrix.scales, matrix.out};
    if (matrix.bias != nullptr) plain.bias = {matrix.bias, matrix.out};
  }

  void feed_forward(const std::string& layer, const FeedForwardWeights& weights) {
    product(layer + ".fc1", weights.first, layer + ".ffn" + read_);
    product(layer + ".fc2", weights.second, layer + ".fc1.output");
    sub_layer(layer + ".ffn", weights.norm, layer + ".fc2");
  }

  void sub_layer(const std::string& name, const Norm& norm, const std::string& delta) {
    plain_.sub_layers.push_back({name, name + "_layer_norm", &norm, delta});
  }

  void last_norm(const std::string& stack, const std::optional<Norm>& norm) {
    if (norm) plain_.sub_layers.push_back({stack, stack + ".layer_norm", &*norm, ""});
  }

  void embeddings(EmbeddingSharing sharing) {
    const auto add = [&](const std::string& name, const Embedding& embedding) {
      const auto& matrix = std::get<kernels::Int8Matrix>(embedding);
      plain_.embeddings.push_back({name, unpacked(matrix), {matrix.scales, matrix.out}});
    };
    if (sharing != EmbeddingSharing::all) add("encoder.embed_tokens", model_.embeddings.source);
    if (sharing == EmbeddingSharing::none) add("decoder.embed_tokens", model_.embeddings.target);
  }

  void attention(Role role, size_t layer, const AttentionLayerWeights& weights) {
    std::string name = attention_prefix(role, layer);
    name.pop_back();
    PlainAttention& plain = plain_.attentions.emplace_back();
    plain.name = name;
    plain.role = role;
    plain.layer = layer;
    plain.mechanism = weights.mechanism.get();
    plain.reads = name + read_;
    weights.mechanism->visit_weights(*this);
    product(name + ".out_proj", weights.output, name + ".context");
    sub_layer(name, weights.norm, name + ".out_proj");
  }

  // The weights that the mechanism of the last attention exposes.
  void product(std::string_view name, const Linear& linear, Reads reads) override {
    const PlainAttention& plain = plain_.attentions.back();
    product(fmt::format("{}.{}", plain.name, name), linear,
            reads == Reads::memory ? "encoder.output" : plain.reads);
  }

  void selected_pair(const SelectedPairView& pair) override {
    PlainAttention& plain = plain_.attentions.back();
    plain.query = selection(pair.query);
    plain.key = selection(pair.key);
    plain.units = {pair.units, heads_};
    plain.threshold = per_feature(pair.query_coding.threshold, width_);
    plain.scores_are_distances = pair.scores_are_distances;
    if (plain.role == Role::cross) {
      plain_.memory_threshold = per_feature(pair.key_coding.threshold, width_);
    }
  }

  void table(std::string_view name, const Shape& shape, std::span<const float> values) override {
    PlainAttention& plain = plain_.attentions.back();
    plain.tables.push_back(
        {fmt::format("{}.{}", plain.name, name), shape, {values.begin(), values.end()}});
  }

  PlainSelection selection(const SelectionView& view) const {
    const SelectionWeights& weights = *view.weights;
    const auto& [packed, bias] = std::get<Int8Selection>(weights.weights);
    const kernels::Int8Packing packing{weights.panels ? kernels::Int8Layout::panels
                                                      : kernels::Int8Layout::rows};
    std::vector<int8_t> all(weights.in * weights.out);
    kernels::unpack_selection_int8(packed, weights.in, weights.out, packing, all.data());
    const int8_t* begin = all.data() + view.first * weights.in;
    return {view, {begin, begin + qk_ * weights.in}, {bias + view.first, qk_}};
  }

  const Model& model_;
  PlainModel& plain_;
  const size_t heads_, width_, qk_;
  const std::string read_;  // What a sub-layer reads of its own rows.
};

}  // namespace

PlainModel::PlainModel(const Model& packed) : model(&packed) {
  check_model(packed);
  Unpacker(packed, *this).run();
}

}  // namespace eatt::trace
