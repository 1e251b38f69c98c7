#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/place.h"
#include "kernels/selection/selection_codes.h"
#include "runtime/layers/linear.h"
#include "runtime/layers/memory.h"

namespace eatt {

struct Embeddings;
struct Model;
struct SelectionWeights;

// Factors of the outputs of each head; empty: 1.
using HeadFactors = std::vector<double>;

// A linear map of the float32 model: the tensors NAME.weight and NAME.bias.
struct FloatMap {
  std::string name;
  HeadFactors head_factors = {};
  bool has_bias = true;
  float weight_factor = 1;  // Of the weights only: the unit of signed codes.
};

// The weights of a model by name, packed as its precision needs them. Several maps become one
// matrix, with their outputs side by side: a float32 bundle has the maps, an int8 bundle has the
// matrix under `name`, with all factors in it.
class WeightReader {
 public:
  explicit WeightReader(const Architecture& architecture) : architecture_(architecture) {}
  virtual ~WeightReader() = default;

  const Architecture& architecture() const { return architecture_; }
  virtual Precision precision() const = 0;

  virtual std::span<const float> floats(const std::string& name) const = 0;  // As stored.
  virtual Linear linear(const std::string& name, size_t in, const std::vector<FloatMap>& maps) = 0;
  virtual SelectionWeights selection(const std::string& name, const std::vector<FloatMap>& maps,
                                     bool panels) = 0;
  // [heads], of integers; null in float32.
  virtual const float* selection_units(const std::string& name) const = 0;
  // What queries (and, for distances, keys) must still be multiplied by.
  virtual HeadFactors score_factors(Role role, const std::string& attention) const = 0;
  virtual Embeddings embeddings() = 0;

  Norm norm(const std::string& name) const;
  // Learned, or the one of the architecture.
  kernels::CodeThreshold threshold(const std::string& name);

  // Memory that the model will keep.
  float* own(size_t size) { return reinterpret_cast<float*>(own_bytes(size * sizeof(float))); }
  std::vector<Buffer<std::byte>> take_memory() { return std::move(memory_); }

 private:
  std::byte* own_bytes(size_t bytes);

  const Architecture& architecture_;
  std::vector<Buffer<std::byte>> memory_;
  std::byte* next_ = nullptr;  // Free memory of the last chunk.
  size_t left_ = 0;            // Its size.
};

// A model without what its weights point into.
Model make_model(WeightReader& weights);

// "encoder.layers.0.self_attn." and the like; layers count from 0.
std::string attention_prefix(Role role, size_t layer);

// The float tensors of a model by name.
using FloatTensors = std::function<std::span<const float>(std::string_view name)>;

// What the queries of an attention layer (and, for distances, its keys) must still be multiplied
// by, per head: 1 where the weights already carry the scale of the scores. `attention` is the
// layer's prefix.
HeadFactors score_factors(const Architecture& architecture, Role role, const std::string& attention,
                          const FloatTensors& tensors);

}  // namespace eatt
