#include "runtime/layers/model.h"

namespace eatt {
namespace {

// Uses the tensors of an int8 model in place.
class Int8Weights : public WeightReader {
 public:
  Int8Weights(const Architecture& architecture, const StoredTensors& tensors)
      : WeightReader(architecture), tensors_(tensors), model_dim_(architecture.model_dim) {}

  Precision precision() const override { return Precision::int8; }

  std::span<const float> floats(const std::string& name) const override {
    const TensorView tensor = tensors_(name);
    return {reinterpret_cast<const float*>(tensor.bytes.data()),
            tensor.bytes.size() / sizeof(float)};
  }

  Linear linear(const std::string& name, size_t in, const std::vector<FloatMap>& maps) override {
    return matrix(name, in, maps.front().has_bias);
  }

  SelectionWeights selection(const std::string& name, const std::vector<FloatMap>&,
                             bool panels) override {
    const TensorView bias = tensors_(name + ".bias");
    return {model_dim_, bias.bytes.size() / sizeof(int16_t), panels,
            Int8Selection{values<uint8_t>(name + ".packed"),
                          reinterpret_cast<const int16_t*>(bias.bytes.data())}};
  }

  const float* selection_units(const std::string& name) const override {
    return values<float>(name + ".scales");
  }

  HeadFactors score_factors(Role, const std::string&) const override { return {}; }

  Embeddings embeddings() override {
    const auto embedding = [&](const std::string& name) {
      return matrix(name, model_dim_, /*has_bias=*/false);
    };
    const EmbeddingSharing sharing = architecture().embeddings;
    if (sharing == EmbeddingSharing::all) {
      const kernels::Int8Matrix shared = embedding("shared");
      return {shared, shared, shared};
    }
    const kernels::Int8Matrix target = embedding("decoder.embed_tokens");
    return {embedding("encoder.embed_tokens"), target,
            sharing == EmbeddingSharing::target ? target : embedding("decoder.output_projection")};
  }

 private:
  template <class T>
  const T* values(const std::string& name) const {
    return reinterpret_cast<const T*>(tensors_(name).bytes.data());
  }

  kernels::Int8Matrix matrix(const std::string& name, size_t in, bool has_bias) const {
    const auto scales = floats(name + ".scales");
    return {.in = in,
            .out = scales.size(),
            .panels = values<int8_t>(name + ".panels"),
            .sums = values<int32_t>(name + ".sums"),
            .scales = scales.data(),
            .bias = has_bias ? values<float>(name + ".bias") : nullptr};
  }

  const StoredTensors& tensors_;
  size_t model_dim_;
};

}  // namespace

Model make_int8_model(const Architecture& architecture, const StoredTensors& tensors) {
  Int8Weights weights(architecture, tensors);
  return make_model(weights);
}

}  // namespace eatt
