#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "bundle/bundle.h"
#include "energy/counted_tensor.h"

// The weights of a model as plain matrices of counted numbers. Vectors are matrices of one row.
namespace eatt::energy::testing {

// y = x·Wᵀ + b
struct FloatMatrix {
  Tensor<Fp32> weight;  // [out, in]
};
struct Int8Matrix {
  Tensor<Int8> weight;  // [out, in]
  Tensor<Fp32> scales;  // [1, out]
};
struct Product {
  std::variant<FloatMatrix, Int8Matrix> matrix;
  std::optional<Tensor<Fp32>> bias;  // [1, out]

  size_t out() const {
    return std::visit([](const auto& m) { return m.weight.rows(); }, matrix);
  }
};

// y = f(x)·Wᵀ + b for codes f(x), with a row for each input.
struct FloatSelection {
  Tensor<Fp32> weight;  // [in, out]
  Tensor<Fp32> bias;    // [1, out]
};
struct Int8Selection {
  Tensor<Int8> weight;
  Tensor<Int16> bias;
};
using Selection = std::variant<FloatSelection, Int8Selection>;

struct Norm {
  Tensor<Fp32> gain, bias;  // [1, model_dim]
};

// What there is depends on the mechanism.
struct AttentionWeights {
  Role role = Role::encoder_self;
  Mechanism mechanism = Mechanism::vanilla;
  std::optional<Product> query, key;              // vanilla, l1; dense has W1 as `query`.
  std::optional<Selection> query_rows, key_rows;  // eatt, selection
  std::optional<Tensor<Fp32>> threshold;          // Of X: [1, 1 or model_dim]
  std::optional<Tensor<Fp32>> units;              // [1, heads], in int8.
  std::optional<Tensor<Fp32>> columns;            // dense: W2 as [max_length, qk_dim]
  std::optional<Tensor<Fp32>> table;              // randinit: [heads·max_length, max_length]
  Product value, output;
  Norm norm;
};

struct FeedForwardWeights {
  Product first, second;
  Norm norm;
};

struct EncoderLayerWeights {
  AttentionWeights self;
  FeedForwardWeights feed_forward;
};
struct DecoderLayerWeights {
  AttentionWeights self, cross;
  FeedForwardWeights feed_forward;
};

struct CountedWeights {
  Product source_embedding, target_embedding, vocabulary;  // Embeddings are [vocab, model_dim].
  Tensor<Fp32> positions;                                  // [longest, model_dim]
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  std::optional<Norm> encoder_norm, decoder_norm;  // Pre-norm only.
  std::optional<Tensor<Fp32>> memory_threshold;    // If some cross-attention binarises.
};

// Of a float32 bundle in the precision it is to be computed in, with the scales of scores folded
// and positions 0 … longest − 1.
CountedWeights read_counted_weights(const Bundle& bundle, Precision precision, size_t longest);

}  // namespace eatt::energy::testing
