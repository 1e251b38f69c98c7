#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "bundle/bundle.h"
#include "runtime/attention/mechanism.h"
#include "runtime/layers/linear.h"
#include "runtime/layers/weight_reader.h"

// Weights as the runtime reads them: const and shared by all threads.
namespace eatt {

// An attention sub-layer: the mechanism up to the context, then the output map.
struct AttentionLayerWeights {
  MadeMechanism mechanism;
  Linear output;
  Norm norm;
};

struct FeedForwardWeights {
  Place place;
  Linear first, second;
  Norm norm;
};

struct EncoderLayerWeights {
  AttentionLayerWeights self;
  FeedForwardWeights feed_forward;
};

struct DecoderLayerWeights {
  AttentionLayerWeights self, cross;
  FeedForwardWeights feed_forward;
};

// Rows [vocab, model_dim]: floats as stored, or the columns of an output layer.
using Embedding = std::variant<const float*, kernels::Int8Matrix>;

struct Embeddings {
  Embedding source, target;
  Linear output;  // To the target vocabulary.
};

// A Transformer ready to compute, without libtorch. It keeps what its weights point to.
struct Model {
  Architecture architecture;
  Precision precision = Precision::float32;
  Embeddings embeddings;
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  std::optional<Norm> encoder_norm, decoder_norm;  // Pre-norm only.

  std::vector<Buffer<std::byte>> owned;           // Weights that were packed on loading.
  std::vector<std::shared_ptr<const void>> kept;  // Whatever else they point into.
};

// Packs float weights, which must outlive the Model; folds score scales that are not folded yet.
Model make_float_model(const Architecture& architecture, const FloatTensors& tensors);

// The tensors of an int8 bundle by name, which must outlive the Model or be kept by it. Nothing is
// copied but W2 of dense attention.
using StoredTensors = std::function<TensorView(std::string_view name)>;
Model make_int8_model(const Architecture& architecture, const StoredTensors& tensors);

// The model of a bundle, which it keeps. A float32 bundle can be computed in either precision; an
// int8 bundle, whose weights are used where they are mapped, only as it is: an Error says so.
Model load_model(Bundle bundle, std::optional<Precision> precision = std::nullopt);

}  // namespace eatt
