#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/layers/model.h"

// The weights of an int8 model as plain matrices [out, in], under the names of a trace.
namespace eatt::trace {

// y = x·Wᵀ + b, with a scale for each row of W.
struct PlainProduct {
  std::string name;      // "encoder.layers.0.fc1"
  const Linear* packed;  // Of the Model.
  std::string reads;     // The tensor of a trace that its input is rounded from.
  size_t in = 0, out = 0;
  std::vector<int8_t> weight;     // [out, in]
  std::span<const float> scales;  // [out]
  std::span<const float> bias;    // [out]; empty: none.
};

// Queries or keys: the bias and the weights of the inputs whose code is one.
struct PlainSelection {
  SelectionView packed;           // Of the Model.
  std::vector<int8_t> weight;     // [out, in]
  std::span<const int16_t> bias;  // [out]
};

// Embedding rows: number · scale of the piece.
struct PlainEmbedding {
  std::string name;               // "encoder.embed_tokens"
  std::vector<int8_t> weight;     // [vocab, model_dim]
  std::span<const float> scales;  // [vocab]
};

// A sub-layer with its norm, or the last norm of a stack, which only reads a residual.
struct PlainSubLayer {
  std::string name;       // "encoder.layers.0.self_attn", "encoder.layers.0.ffn", "encoder"
  std::string norm_name;  // "encoder.layers.0.self_attn_layer_norm"
  const Norm* norm;       // Of the Model.
  std::string delta;      // The product whose output is added to the residual; empty: none.
};

struct PlainAttention {
  std::string name;  // "encoder.layers.0.self_attn"
  Role role;
  size_t layer;                         // From 0.
  const AttentionMechanism* mechanism;  // Of the Model.
  std::string reads;  // The tensor of a trace that the codes of its own rows are made from.

  // For mechanisms that binarize; empty for others.
  std::optional<PlainSelection> query, key;
  std::span<const float> units;  // [heads]
  std::vector<float> threshold;  // [model_dim]: of the input, in cross-attention of the queries'.
  bool scores_are_distances = false;

  // Its other trained weights.
  struct Table {
    std::string name;  // "encoder.layers.0.self_attn.score_table"
    Shape shape;
    std::vector<float> values;
  };
  std::vector<Table> tables;
};

// Points into the model, which must outlive it and must not move.
struct PlainModel {
  // Throws an Error if the model is not int8, or if its heads are so wide that the encoder rounds
  // their distances.
  explicit PlainModel(const Model& model);

  const Model* model;
  std::vector<PlainProduct> products;
  std::vector<PlainAttention> attentions;
  std::vector<PlainSubLayer> sub_layers;   // The encoder's, then the decoder's, in their order.
  std::vector<PlainEmbedding> embeddings;  // Those that are not the output layer.
  std::vector<float> memory_threshold;     // [model_dim]: of the encoder's output; empty: none.
};

}  // namespace eatt::trace
