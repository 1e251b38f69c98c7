#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/encoder.h"
#include "runtime/shortlist.h"
#include "runtime/weights.h"

namespace eatt {

// The part of the output layer that the sentences of a batch may need. Every sentence keeps to its
// own list: what others may use is −∞ to it.
class OutputColumns {
 public:
  OutputColumns(const Shortlist& shortlist, const Linear& output)
      : shortlist_(shortlist), output_(output) {}

  void start(const SourceRows& source);

  std::span<const int32_t> pieces() const { return pieces_; }  // Ascending, of each column.
  const Linear& matrix() const { return matrix_; }
  // logits [columns] of a row of this sentence.
  void forbid_others(size_t sentence, float* logits) const;

 private:
  void gather(const kernels::FloatMatrix& from);
  void gather(const kernels::Int8Matrix& from);

  const Shortlist& shortlist_;
  const Linear& output_;
  std::vector<int32_t> pieces_;
  std::vector<std::vector<int32_t>> forbidden_;  // Columns, by sentence.
  Linear matrix_;
  Buffer<float> float_panels_, scales_;
  Buffer<int8_t> int8_panels_;
  Buffer<int32_t> sums_;
};

}  // namespace eatt
