#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "bundle/mechanisms.h"
#include "kernels/products/products.h"
#include "kernels/selection/selection_codes.h"
#include "kernels/selection/selection_int8.h"

// Weights as the runtime reads them: const, shared by all threads, owned by a Model.
namespace eatt {

// y = x·Wᵀ + b. Maps that read the same input are one, with their outputs side by side.
using Linear = std::variant<kernels::FloatMatrix, kernels::Int8Matrix>;

inline size_t outputs(const Linear& linear) {
  return std::visit([](const auto& matrix) { return matrix.out; }, linear);
}

struct FloatSelection {
  const float* packed;  // Panels or rows, see SelectionWeights::panels.
  const float* bias;    // [out]
};

// Whole numbers: a query or key is number · unit of its head.
struct Int8Selection {
  const uint8_t* packed;
  const int16_t* bias;  // [out]
};

// y = f(x)·Wᵀ + b for binary codes f(x).
struct SelectionWeights {
  size_t in = 0, out = 0;
  bool panels = false;  // Packed for many rows at once, or for few.
  std::variant<FloatSelection, Int8Selection> weights;
};

struct Norm {
  const float* gain;
  const float* bias;
};

// What queries and keys come from, by mechanism.
struct ProjectedPair {      // vanilla, l1
  Linear query_key_value;   // Self-attention: [2·qk_dim + attention_dim]
  Linear query, key_value;  // Cross-attention: of X [qk_dim], of Y [qk_dim + attention_dim]
};
struct SelectedPair {           // eatt, selection
  SelectionWeights query_key;   // Self-attention: [2·qk_dim]
  SelectionWeights query, key;  // Cross-attention
  kernels::CodeThreshold query_threshold;
  const float* units = nullptr;  // [heads], where numbers are whole; else null.
  Linear value;
};
struct LearnedColumns {  // dense
  Linear hidden;         // W1
  const float* columns;  // W2 as rows [max_length, qk_dim]: a key per position
  Linear value;
};
struct ScoreTable {     // randinit
  const float* scores;  // [heads, max_length, max_length]
  Linear value;
};

struct AttentionWeights {
  Mechanism mechanism = Mechanism::vanilla;
  std::variant<ProjectedPair, SelectedPair, LearnedColumns, ScoreTable> scores;
  Linear output;
  Norm norm;
};

struct FeedForwardWeights {
  Linear first, second;
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

// Rows of an embedding, [vocab, model_dim]: floats as they lie, or the columns of an output layer.
using Embedding = std::variant<const float*, kernels::Int8Matrix>;

}  // namespace eatt
