#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/attention/rows.h"
#include "runtime/layers/linear.h"
#include "runtime/search/step_model.h"
#include "runtime/shortlist/shortlist.h"

namespace eatt {

// The columns of the output layer that the sentences of a batch may use: computed for all their
// lists together, then given to each row by the list of its sentence.
class OutputColumns {
 public:
  OutputColumns(const Shortlist& shortlist, const Linear& output)
      : shortlist_(shortlist), output_(output) {}

  // `required`: pieces that each sentence has beside its list; empty: none.
  void start(const SourceRows& source, std::span<const std::vector<int32_t>> required);

  const Linear& matrix() const { return matrix_; }
  // From the matrix's results [rows, columns] those of each row's sentence; valid until the next
  // call.
  std::span<const RowLogits> own_rows(const float* logits, std::span<const int32_t> sentences);

 private:
  void gather(const kernels::FloatMatrix& from);
  void gather(const kernels::Int8Matrix& from);

  const Shortlist& shortlist_;
  const Linear& output_;
  std::vector<int32_t> pieces_;                // Of each column, ascending.
  std::vector<std::vector<int32_t>> lists_;    // Pieces, by sentence.
  std::vector<std::vector<int32_t>> columns_;  // Where they are; empty: the list is all columns.
  std::vector<float> own_logits_;
  std::vector<RowLogits> own_rows_;
  Linear matrix_;
  Buffer<float> float_panels_, scales_;
  Buffer<int8_t> int8_panels_;
  Buffer<int32_t> sums_;
};

}  // namespace eatt
