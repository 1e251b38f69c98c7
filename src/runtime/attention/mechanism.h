#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bundle/mechanisms.h"
#include "bundle/place.h"
#include "bundle/safetensors.h"
#include "kernels/selection/signed_codes.h"
#include "runtime/attention/rows.h"
#include "runtime/layers/linear.h"
#include "runtime/layers/memory.h"
#include "runtime/layers/weight_reader.h"

// The seam of attention: everything else in the runtime calls a mechanism through this interface
// and does not know which one it calls. A family of mechanisms is one file beside this header.
namespace eatt {

// The sizes of an attention layer.
struct AttentionShape {
  size_t heads = 0;
  size_t qk_dim = 0;         // Queries and keys, all heads together.
  size_t attention_dim = 0;  // Values, all heads together.
  size_t max_length = 0;     // Of mechanisms that learn scores of positions.

  size_t head_dim() const { return qk_dim / heads; }
  size_t value_dim() const { return attention_dim / heads; }
};

// How codes f(x) are made.
struct Coding {
  kernels::CodeThreshold threshold{};
  size_t levels = 0;  // Of signed codes; 0: binary.
};

// Codes f(x) as lists: one for binary codes; for signed codes two for each of their binary digits,
// in the order of kernels::signed_code_planes().
struct RowCodes {
  size_t levels = 0;
  std::array<kernels::CodeLists, kernels::code_planes(kernels::kMostCodeLevels)> planes{};

  size_t rows() const { return planes[0].rows; }
};

// Rows x [rows, width] that an attention layer reads, already normed. They are quantized and
// binarized when a mechanism first asks for it, and once only: all layers of cross-attention share
// the encoder's output.
class AttentionInput {
 public:
  AttentionInput(Precision precision, const float* x, size_t rows, size_t width, Scratch& scratch)
      : precision_(precision), x_(x), rows_(rows), width_(width), scratch_(scratch) {}

  size_t rows() const { return rows_; }
  const LinearInput& linear();
  // Codes f(x) as lists. `place` and `duty` are told to the observer.
  const RowCodes& codes(const Coding& coding, const Place& place, Duty duty);

 private:
  Precision precision_;
  const float* x_;
  size_t rows_, width_;
  Scratch& scratch_;
  std::optional<LinearInput> linear_;
  std::optional<RowCodes> codes_;
};

// One query: row `row` of `rows`, at `position` of its sentence.
struct QueryRow {
  const RowsView& rows;
  size_t row;
  size_t position;
};

class WeightVisitor;

// The weights of one attention layer up to its scores, and what they compute. Const and shared by
// all threads. Views that it returns lie in scratch memory and are valid until the next call.
class AttentionMechanism {
 public:
  AttentionMechanism(const AttentionShape& shape, const Place& place)
      : shape_(shape), place_(place) {}
  virtual ~AttentionMechanism() = default;

  const AttentionShape& shape() const { return shape_; }
  const Place& place() const { return place_; }

  // How the keys of the decoder are kept.
  virtual RowFormat key_format() const = 0;

  // Self-attention: queries, keys and values of the same rows.
  virtual AttentionRows self_rows(AttentionInput& x, Scratch& scratch) const = 0;
  // Cross-attention: queries of the decoder's rows, keys and values of the encoder's output.
  virtual RowsView query_rows(AttentionInput& x, Scratch& scratch) const = 0;
  virtual AttentionRows memory_rows(AttentionInput& y, Scratch& scratch) const = 0;

  // context [rows, attention_dim] of rows that attend to all rows of their own sentence.
  virtual void attend_sentences(const AttentionRows& rows, const SourceRows& sentences,
                                float* context, Scratch& scratch) const = 0;
  // scores [heads, keys.count] of one query.
  virtual void score_row(const QueryRow& query, const RowPointers& keys, float* scores) const = 0;

  // Shows the weights under the names of the bundle.
  virtual void visit_weights(WeightVisitor& visitor) const = 0;

 protected:
  const AttentionShape shape_;
  const Place place_;
};

// y = f(x)·Wᵀ + b for codes f(x), counted in units of the smallest.
struct FloatSelection {
  const float* packed;  // Panels or rows, see SelectionWeights::panels.
  const float* bias;    // [out]
};
struct Int8Selection {  // A query or key is an integer times the unit of its head.
  const uint8_t* packed;
  const int16_t* bias;  // [out]
};
struct SelectionWeights {
  size_t in = 0, out = 0;
  bool panels = false;  // Packed for many rows at once, or for few.
  std::variant<FloatSelection, Int8Selection> weights;
};

// Queries or keys that are selected by codes: `first` is their first output of `weights`.
struct SelectionView {
  const SelectionWeights* weights;
  size_t first;
};
struct SelectedPairView {
  SelectionView query, key;
  const float* units;  // [heads], in int8.
  Coding query_coding, key_coding;
  bool scores_are_distances;
};

// Reads the weights of a mechanism, to write them down or to compute with them by other means.
class WeightVisitor {
 public:
  virtual ~WeightVisitor() = default;

  enum class Reads { own_rows, memory };  // Memory: the encoder's output, in cross-attention.
  virtual void product(std::string_view name, const Linear& linear, Reads reads) = 0;
  virtual void selected_pair(const SelectedPairView& pair) = 0;
  virtual void table(std::string_view name, const Shape& shape, std::span<const float> values) = 0;
};

// What a family is made of.
struct MechanismSource {
  WeightReader& weights;
  Mechanism mechanism;
  Role role;
  std::string prefix;  // "encoder.layers.0.self_attn."
  AttentionShape shape;
  Place place;

  std::string name(std::string_view tensor) const { return prefix + std::string(tensor); }
};

using MadeMechanism = std::unique_ptr<const AttentionMechanism>;

// The one place where a mechanism is chosen; layers count from 0.
MadeMechanism make_mechanism(WeightReader& weights, Role role, size_t layer);

// The families.
MadeMechanism make_projected(const MechanismSource& source);        // vanilla, l1
MadeMechanism make_selected(const MechanismSource& source);         // eatt, selection
MadeMechanism make_learned_columns(const MechanismSource& source);  // dense
MadeMechanism make_score_table(const MechanismSource& source);      // randinit

}  // namespace eatt
