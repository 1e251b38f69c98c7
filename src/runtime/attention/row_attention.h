#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/layers/decoder_state.h"
#include "runtime/layers/layer_steps.h"

namespace eatt {

// Queries (or keys) [rows, stride] of one of two kinds; of none where a mechanism has none.
struct QueryRows {
  const float* floats = nullptr;
  const int16_t* whole = nullptr;
  size_t stride = 0;

  // Row `row` from number `offset` on, to a slot of a store.
  void write(size_t row, size_t offset, RowStore& store, size_t slot) const;
};

// Selected rows [rows, weights.out] in scratch memory: whole numbers where eatt keeps them, floats
// otherwise.
QueryRows select_rows(const Model& model, const AttentionWeights& attention,
                      const SelectionWeights& weights, const kernels::CodeLists& codes,
                      Scratch& scratch);

// Attention of single positions over the keys and values of one layer.
class RowAttention {
 public:
  RowAttention(const Model& model, const AttentionWeights& weights, const KeyValueRows& rows,
               Scratch& scratch);

  // What the next position sees.
  void see(std::span<const uint32_t> slots);
  void see_range(size_t first, size_t count);

  // mixed [attention_dim] of query `row`, which stands at `position` of its sentence.
  void attend(const QueryRows& queries, size_t row, size_t position, float* mixed);

  // The weights of the last position: [keys seen], of a head or (−1) the mean of all.
  void show(int head, float* weights) const;

 private:
  void see_slot(size_t i, size_t slot);
  void score(const QueryRows& queries, size_t row, size_t position);
  void score_keys(const QueryRows& queries, size_t row);
  void mix(float* mixed);

  const Architecture& architecture_;
  const AttentionWeights& weights_;
  const KeyValueRows& rows_;
  Scratch& s_;
  size_t heads_;
  size_t count_ = 0;         // Keys seen.
  float* scores_ = nullptr;  // [heads, keys seen]
};

}  // namespace eatt
