#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bundle/bundle.h"
#include "runtime/layers/buffer.h"
#include "runtime/layers/weights.h"

namespace eatt {

// A Transformer ready to compute, without libtorch. It keeps what its weights point to.
struct Model {
  Architecture architecture;
  Precision precision = Precision::float32;
  Embedding source_embedding, target_embedding;
  Linear output;  // To the target vocabulary.
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  std::optional<Norm> encoder_norm, decoder_norm;          // Pre-norm only.
  std::optional<kernels::CodeThreshold> memory_threshold;  // If some cross-attention binarises.

  std::vector<Buffer<std::byte>> owned;           // Weights that were packed on loading.
  std::vector<std::shared_ptr<const void>> kept;  // Whatever else they point into.
};

// The float tensors of a model by name; they must outlive the Model that is made of them.
using FloatTensors = std::function<std::span<const float>(std::string_view name)>;

// Packs float weights; folds score scales that are not folded yet.
Model make_float_model(const Architecture& architecture, const FloatTensors& tensors);

// The model of a bundle, which it keeps. A float32 bundle can be computed in either precision; an
// int8 bundle, whose weights are used where they are mapped, only as it is: an Error says so.
Model load_model(Bundle bundle, std::optional<Precision> precision = std::nullopt);

}  // namespace eatt
