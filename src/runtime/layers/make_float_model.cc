#include <algorithm>

#include "bundle/expected_tensors.h"
#include "kernels/selection/selection.h"
#include "runtime/int8/score_factors.h"
#include "runtime/layers/add_layers.h"
#include "runtime/layers/learned_columns.h"
#include "runtime/layers/model.h"

namespace eatt {
namespace {

// Weights [out, in] and a bias [out].
struct FloatLinear {
  std::vector<float> weight;
  std::vector<float> bias;  // Empty: none.
};

// Packs the tensors of a model into memory that the model owns.
class Packer {
 public:
  Packer(const Architecture& architecture, const FloatTensors& tensors)
      : a_(architecture), tensors_(tensors), model_dim_(a_.model_dim) {}

  Model pack() {
    model_.source_embedding = tensors_(source_embedding_name(a_)).data();
    model_.target_embedding = tensors_(target_embedding_name(a_)).data();
    pack_output();
    add_layers(a_, *this, model_);
    return std::move(model_);
  }

  // What add_layers() asks for.
  Norm norm(const std::string& name) const {
    return {tensors_(name + ".weight").data(), tensors_(name + ".bias").data()};
  }

  kernels::CodeThreshold threshold(const std::string& name) {
    if (a_.threshold.learned) return {tensors_(name).data(), /*per_feature=*/true};
    return {own({static_cast<float>(a_.threshold.value)}), /*per_feature=*/false};
  }

  AttentionWeights attention(Role role, size_t layer) {
    const std::string name = attention_prefix(role, layer);
    AttentionWeights weights;
    weights.mechanism = a_.attention(role).layers[layer];
    if (weights.mechanism == Mechanism::dense) {
      weights.scores = learned_columns(name);
    } else if (weights.mechanism == Mechanism::randinit) {
      weights.scores =
          ScoreTable{tensors_(name + "score_table").data(), pack(read(name + "v_proj"))};
    } else {
      FloatLinear query = read(name + "q_proj"), key = read(name + "k_proj");
      const auto factors = score_factors(a_, role, name, tensors_);
      scale(query, factors);
      if (scores_by_distance(weights.mechanism)) scale(key, factors);
      if (binarises(weights.mechanism)) {
        weights.scores = selected_pair(name, role, query, key);
      } else {
        weights.scores = projected_pair(name, role, query, key);
      }
    }
    weights.output = pack(read(name + "out_proj"), a_.attention_dim);
    weights.norm = norm(name.substr(0, name.size() - 1) + "_layer_norm");
    return weights;
  }

  FeedForwardWeights feed_forward(const std::string& layer) {
    return {pack(read(layer + "fc1")), pack(read(layer + "fc2"), a_.ffn_dim),
            norm(layer + "ffn_layer_norm")};
  }

 private:
  // From large chunks, which come in large pages.
  template <class T>
  T* own(size_t size) {
    constexpr size_t kLine = 64, kChunk = size_t{32} << 20;
    const size_t bytes = (size * sizeof(T) + kLine - 1) / kLine * kLine;
    if (bytes > left_) {
      left_ = std::max(bytes, kChunk);
      next_ = model_.owned.emplace_back(left_).data();
    }
    auto* memory = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    return memory;
  }

  const float* own(const std::vector<float>& values) {
    float* memory = own<float>(values.size());
    std::ranges::copy(values, memory);
    return memory;
  }

  FloatLinear read(const std::string& name, bool has_bias = true) const {
    const auto weight = tensors_(name + ".weight");
    FloatLinear linear;
    linear.weight.assign(weight.begin(), weight.end());
    if (has_bias) {
      const auto bias = tensors_(name + ".bias");
      linear.bias.assign(bias.begin(), bias.end());
    }
    return linear;
  }

  // Multiplies the outputs of each head by its factor.
  static void scale(FloatLinear& linear, const std::vector<double>& factors) {
    for (std::vector<float>* values : {&linear.weight, &linear.bias}) {
      const size_t per_head = values->size() / factors.size();
      for (size_t i = 0; i < values->size(); ++i)
        (*values)[i] *= static_cast<float>(factors[i / per_head]);
    }
  }

  static FloatLinear side_by_side(FloatLinear first, const FloatLinear& second) {
    first.weight.insert(first.weight.end(), second.weight.begin(), second.weight.end());
    first.bias.insert(first.bias.end(), second.bias.begin(), second.bias.end());
    return first;
  }

  Linear pack(const FloatLinear& linear, size_t in) {
    const size_t out = linear.weight.size() / in;
    float* panels = own<float>(kernels::float_panels_size(in, out));
    kernels::pack_float_panels(linear.weight.data(), in, out, panels);
    return kernels::FloatMatrix{in, out, panels, linear.bias.empty() ? nullptr : own(linear.bias)};
  }
  Linear pack(const FloatLinear& linear) { return pack(linear, model_dim_); }

  SelectionWeights pack_selection(const FloatLinear& linear, bool panels) {
    const size_t in = model_dim_, out = linear.weight.size() / in;
    float* packed = nullptr;
    if (panels) {
      packed = own<float>(kernels::selection_panels_size(in, out));
      kernels::pack_selection_panels(linear.weight.data(), in, out, packed);
    } else {
      packed = own<float>(in * out);
      kernels::pack_selection_rows(linear.weight.data(), in, out, packed);
    }
    return {in, out, panels, FloatSelection{packed, own(linear.bias)}};
  }

  void pack_output() {
    const bool own_matrix = a_.embeddings == EmbeddingSharing::none;
    const auto weight =
        tensors_(own_matrix ? "decoder.output_projection.weight" : target_embedding_name(a_));
    const size_t out = weight.size() / model_dim_;
    float* panels = own<float>(kernels::float_panels_size(model_dim_, out));
    kernels::pack_float_panels(weight.data(), model_dim_, out, panels);
    model_.output = kernels::FloatMatrix{model_dim_, out, panels, nullptr};
  }

  ProjectedPair projected_pair(const std::string& name, Role role, const FloatLinear& query,
                               const FloatLinear& key) {
    const FloatLinear value = read(name + "v_proj");
    if (role != Role::cross) return {pack(side_by_side(side_by_side(query, key), value)), {}, {}};
    return {{}, pack(query), pack(side_by_side(key, value))};
  }

  // The encoder's rows come many at once, the decoder's few.
  SelectedPair selected_pair(const std::string& name, Role role, const FloatLinear& query,
                             const FloatLinear& key) {
    SelectedPair pair;
    pair.query_threshold = threshold(name + (role == Role::cross ? "q_threshold" : "threshold"));
    pair.value = pack(read(name + "v_proj"));
    if (role == Role::cross) {
      pair.query = pack_selection(query, /*panels=*/false);
      pair.key = pack_selection(key, /*panels=*/true);
    } else {
      pair.query_key = pack_selection(side_by_side(query, key), role == Role::encoder_self);
    }
    return pair;
  }

  LearnedColumns learned_columns(const std::string& name) {
    const auto w2 = tensors_(name + "w2.weight");
    float* columns = own<float>(w2.size());
    positions_first(a_, w2.data(), columns);
    return {pack(read(name + "w1", /*has_bias=*/false)), columns, pack(read(name + "v_proj"))};
  }

  const Architecture& a_;
  const FloatTensors& tensors_;
  size_t model_dim_;
  Model model_;
  std::byte* next_ = nullptr;  // Where the last chunk goes on, and how many bytes it has left.
  size_t left_ = 0;
};

}  // namespace

Model make_float_model(const Architecture& architecture, const FloatTensors& tensors) {
  return Packer(architecture, tensors).pack();
}

}  // namespace eatt
