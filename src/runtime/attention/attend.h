#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/attention/attention.h"
#include "runtime/attention/mechanism.h"

// From queries, keys and values to the context: the one path of attention. Rows of whole sentences
// go through a fused kernel; rows that attend to a cache go one by one.
namespace eatt {

// Rows whose scores come from pairs of vectors.
struct FusedAttention {
  kernels::ScoreKind kind = kernels::ScoreKind::dot;
  bool keys_are_positions = false;      // The same keys for every sentence.
  std::span<const float> factors = {};  // Of the scores of each head; empty: 1.
};

// context [rows, attention_dim] of rows [floats] that attend to all rows of their sentence.
void attend_fused(const AttentionMechanism& mechanism, const FusedAttention& fused,
                  const AttentionRows& rows, const SourceRows& sentences, float* context,
                  Scratch& scratch);

// One query: scores → softmax → context [attention_dim]. Returns the weights [heads, keys], in
// scratch memory.
const float* attend_row(const AttentionMechanism& mechanism, const QueryRow& query,
                        const RowPointers& keys, const RowPointers& values, float* context,
                        Scratch& scratch);

// Attention of single positions over the cached keys and values of one layer.
class RowAttention {
 public:
  RowAttention(const AttentionMechanism& mechanism, const KeyValueRows& cache, Scratch& scratch)
      : mechanism_(mechanism), cache_(cache), s_(scratch) {}

  // What the next position attends to.
  void attend_to(std::span<const uint32_t> slots);

  // context [attention_dim]
  void run(const QueryRow& query, float* context);

  // The weights of the last position: [keys], of a head or (−1) the mean of all.
  void copy_weights(int head, float* weights) const;

 private:
  void resize(size_t count);
  void set_row(size_t i, size_t slot);

  const AttentionMechanism& mechanism_;
  const KeyValueRows& cache_;
  Scratch& s_;
  size_t count_ = 0;                // Keys.
  const float* weights_ = nullptr;  // [heads, keys]
};

}  // namespace eatt
