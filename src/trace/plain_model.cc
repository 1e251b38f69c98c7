#include "trace/plain_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "runtime/int8/score_factors.h"

namespace eatt::trace {
namespace {

// Sums of so many whole numbers of 16 bits are exact as floats, and with them the encoder's scores.
constexpr size_t kWidestExactHead = 256;

void check_model(const Model& model) {
  const Architecture& a = model.architecture;
  if (model.precision != Precision::int8) {
    throw Error("a float32 model computes no whole numbers that could be traced; quantize it");
  }
  if (std::ranges::any_of(a.encoder_self.layers, has_integer_scores) &&
      a.qk_head_dim() > kWidestExactHead) {
    throw Error(fmt::format(
        "the heads of this model are {} wide, and above {} the encoder rounds distances; expected "
        "narrower heads, so that every whole number is exact",
        a.qk_head_dim(), kWidestExactHead));
  }
}

std::vector<float> per_feature(const kernels::CodeThreshold& threshold, size_t dim) {
  if (threshold.per_feature) return {threshold.values, threshold.values + dim};
  return std::vector<float>(dim, *threshold.values);
}

class Unpacker {
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
    product("decoder.output_projection", model_.output, "decoder.output");
    embeddings(model_.architecture.embeddings);
    if (model_.memory_threshold) {
      plain_.memory_threshold = per_feature(*model_.memory_threshold, width_);
    }
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

  void sub_layer(const std::string& name, const Norm& norm, const std::string& change) {
    plain_.sub_layers.push_back({name, name + "_layer_norm", &norm, change});
  }

  void last_norm(const std::string& stack, const std::optional<Norm>& norm) {
    if (norm) plain_.sub_layers.push_back({stack, stack + ".layer_norm", &*norm, ""});
  }

  void embeddings(EmbeddingSharing sharing) {
    const auto add = [&](const std::string& name, const Embedding& embedding) {
      const auto& matrix = std::get<kernels::Int8Matrix>(embedding);
      plain_.embeddings.push_back({name, unpacked(matrix), {matrix.scales, matrix.out}});
    };
    if (sharing != EmbeddingSharing::all) add("encoder.embed_tokens", model_.source_embedding);
    if (sharing == EmbeddingSharing::none) add("decoder.embed_tokens", model_.target_embedding);
  }

  void attention(Role role, size_t layer, const AttentionWeights& weights) {
    std::string name = attention_prefix(role, layer);
    name.pop_back();
    const std::string own = name + read_, other = role == Role::cross ? "encoder.output" : own;
    plain_.attentions.push_back({name, role, layer, &weights, own, {}, {}, {}, {}});
    if (const auto* pair = std::get_if<ProjectedPair>(&weights.scores)) {
      if (role == Role::cross) {
        product(name + ".q_proj", pair->query, own);
        product(name + ".kv_proj", pair->key_value, other);
      } else {
        product(name + ".qkv_proj", pair->query_key_value, own);
      }
    } else if (const auto* selected = std::get_if<SelectedPair>(&weights.scores)) {
      selections(role, *selected, plain_.attentions.back());
      product(name + ".v_proj", selected->value, other);
    } else if (const auto* columns = std::get_if<LearnedColumns>(&weights.scores)) {
      product(name + ".w1", columns->hidden, own);
      product(name + ".v_proj", columns->value, other);
    } else {
      product(name + ".v_proj", std::get<ScoreTable>(weights.scores).value, other);
    }
    product(name + ".out_proj", weights.output, name + ".context");
    sub_layer(name, weights.norm, name + ".out_proj");
  }

  void selections(Role role, const SelectedPair& pair, PlainAttention& plain) {
    const bool cross = role == Role::cross;
    plain.query = selection(cross ? pair.query : pair.query_key, 0);
    plain.key = cross ? selection(pair.key, 0) : selection(pair.query_key, qk_);
    plain.units = {pair.units, heads_};
    plain.threshold = per_feature(pair.query_threshold, width_);
  }

  // qk_dim outputs, from `first` on.
  PlainSelection selection(const SelectionWeights& weights, size_t first) const {
    const auto& [packed, bias] = std::get<Int8Selection>(weights.weights);
    const kernels::Int8Packing packing{weights.panels ? kernels::Int8Layout::panels
                                                      : kernels::Int8Layout::rows};
    std::vector<int8_t> all(weights.in * weights.out);
    kernels::unpack_selection_int8(packed, weights.in, weights.out, packing, all.data());
    const int8_t* begin = all.data() + first * weights.in;
    return {{begin, begin + qk_ * weights.in}, {bias + first, qk_}};
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
