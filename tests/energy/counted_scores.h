#pragma once

#include <span>
#include <variant>
#include <vector>

#include "energy/counted_weights.h"
#include "energy/kept_rows.h"

namespace eatt::energy::testing {

// Rows that see the same positions, and read what is kept of them together: a sentence of the
// encoder, or one row of the decoder.
struct SeeingRows {
  size_t first_row = 0;
  size_t rows = 1;
  size_t position = 0;        // Of the first row in its sentence; the others follow.
  std::vector<size_t> slots;  // Keys and values they see, in order of position.
};

// Queries [rows, qk_dim]; none for randinit.
using Queries = std::variant<std::monostate, Tensor<Fp32>, Tensor<Int16>>;

struct AttentionShape {
  size_t heads, head_dim, value_head_dim;
};

// How rows score positions, by mechanism. All that sees in a pass does so by one of these.
class CountedScores {
 public:
  // Reads what a pass reads once. Keys are not looked at for dense and randinit.
  CountedScores(const AttentionWeights& weights, const AttentionShape& shape,
                const Queries& queries, const KeptRows& keys);

  // [rows·heads, slots]: the heads of a row follow each other.
  Tensor<Fp32> of(const SeeingRows& seeing) const;

 private:
  Fp32 score(const SeeingRows& seeing, size_t row, size_t head, size_t i) const;
  Fp32 integer_distance(size_t row, size_t slot, size_t head) const;
  Fp32 key(const SeeingRows& seeing, size_t i, size_t column) const;

  const AttentionWeights& weights_;
  AttentionShape shape_;
  const Queries& queries_;
  const KeptRows& keys_;
  std::vector<Fp32> units_;  // Of integers, by head.
};

// Softmax of the scores and values weighted by it: the rows of mixed [rows, value width].
void mix(const AttentionShape& shape, const Tensor<Fp32>& scores, const KeptRows& values,
         const SeeingRows& seeing, Tensor<Fp32>& mixed);

}  // namespace eatt::energy::testing
