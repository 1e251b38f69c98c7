#include "runtime/int8/make_int8_model.h"

#include "runtime/int8/score_factors.h"
#include "runtime/layers/add_layers.h"
#include "runtime/layers/learned_columns.h"

namespace eatt {
namespace {

// Finds the tensors of a model where they lie.
class Finder {
 public:
  Finder(const Architecture& architecture, const StoredTensors& tensors)
      : a_(architecture), tensors_(tensors), model_dim_(a_.model_dim) {}

  Model find() {
    model_.precision = Precision::int8;
    find_embeddings();
    add_layers(a_, *this, model_);
    return std::move(model_);
  }

  // What add_layers() asks for.
  Norm norm(const std::string& name) const {
    return {values<float>(name + ".weight"), values<float>(name + ".bias")};
  }

  kernels::CodeThreshold threshold(const std::string& name) {
    if (a_.threshold.learned) return {values<float>(name), /*per_feature=*/true};
    auto& memory = model_.owned.emplace_back(sizeof(float));
    auto* value = reinterpret_cast<float*>(memory.data());
    *value = static_cast<float>(a_.threshold.value);
    return {value, /*per_feature=*/false};
  }

  AttentionWeights attention(Role role, size_t layer) {
    const std::string name = attention_prefix(role, layer);
    AttentionWeights weights;
    weights.mechanism = a_.attention(role).layers[layer];
    if (weights.mechanism == Mechanism::dense) {
      const TensorView w2 = tensors_(name + "w2.weight");
      auto& memory = model_.owned.emplace_back(w2.bytes.size());
      auto* columns = reinterpret_cast<float*>(memory.data());
      positions_first(a_, reinterpret_cast<const float*>(w2.bytes.data()), columns);
      weights.scores = LearnedColumns{matrix(name + "w1", model_dim_, /*has_bias=*/false), columns,
                                      linear(name + "v_proj")};
    } else if (weights.mechanism == Mechanism::randinit) {
      weights.scores = ScoreTable{values<float>(name + "score_table"), linear(name + "v_proj")};
    } else if (binarises(weights.mechanism)) {
      weights.scores = selected_pair(name, role);
    } else if (role == Role::cross) {
      weights.scores = ProjectedPair{{}, linear(name + "q_proj"), linear(name + "kv_proj")};
    } else {
      weights.scores = ProjectedPair{linear(name + "qkv_proj"), {}, {}};
    }
    weights.output = matrix(name + "out_proj", a_.attention_dim, true);
    weights.norm = norm(name.substr(0, name.size() - 1) + "_layer_norm");
    return weights;
  }

  FeedForwardWeights feed_forward(const std::string& layer) const {
    return {linear(layer + "fc1"), matrix(layer + "fc2", a_.ffn_dim, /*has_bias=*/true),
            norm(layer + "ffn_layer_norm")};
  }

 private:
  template <class T>
  const T* values(const std::string& name) const {
    return reinterpret_cast<const T*>(tensors_(name).bytes.data());
  }

  kernels::Int8Matrix matrix(const std::string& name, size_t in, bool has_bias) const {
    const TensorView scales = tensors_(name + ".scales");
    return {.in = in,
            .out = scales.bytes.size() / sizeof(float),
            .panels = values<int8_t>(name + ".panels"),
            .sums = values<int32_t>(name + ".sums"),
            .scales = reinterpret_cast<const float*>(scales.bytes.data()),
            .bias = has_bias ? values<float>(name + ".bias") : nullptr};
  }
  Linear linear(const std::string& name) const { return matrix(name, model_dim_, true); }

  SelectionWeights selection(const std::string& name, bool panels) const {
    const TensorView bias = tensors_(name + ".bias");
    return {model_dim_, bias.bytes.size() / sizeof(int16_t), panels,
            Int8Selection{values<uint8_t>(name + ".packed"),
                          reinterpret_cast<const int16_t*>(bias.bytes.data())}};
  }

  void find_embeddings() {
    const auto embedding = [&](const std::string& name) { return matrix(name, model_dim_, false); };
    if (a_.embeddings == EmbeddingSharing::all) {
      const auto shared = embedding("shared");
      model_.source_embedding = model_.target_embedding = shared;
      model_.output = shared;
      return;
    }
    model_.source_embedding = embedding("encoder.embed_tokens");
    const auto target = embedding("decoder.embed_tokens");
    model_.target_embedding = target;
    model_.output =
        a_.embeddings == EmbeddingSharing::target ? target : embedding("decoder.output_projection");
  }

  SelectedPair selected_pair(const std::string& name, Role role) {
    SelectedPair pair;
    pair.query_threshold = threshold(name + (role == Role::cross ? "q_threshold" : "threshold"));
    pair.value = linear(name + "v_proj");
    if (role == Role::cross) {
      pair.query = selection(name + "q_select", /*panels=*/false);
      pair.key = selection(name + "k_select", /*panels=*/true);
      pair.units = values<float>(name + "q_select.scales");
    } else {
      pair.query_key = selection(name + "qk_select", role == Role::encoder_self);
      pair.units = values<float>(name + "qk_select.scales");
    }
    return pair;
  }

  const Architecture& a_;
  const StoredTensors& tensors_;
  size_t model_dim_;
  Model model_;
};

}  // namespace

Model make_int8_model(const Architecture& architecture, const StoredTensors& tensors) {
  return Finder(architecture, tensors).find();
}

}  // namespace eatt
