#include <algorithm>

#include "bundle/expected_tensors.h"
#include "kernels/selection/selection.h"
#include "runtime/layers/model.h"

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

}  // namespace eatt
