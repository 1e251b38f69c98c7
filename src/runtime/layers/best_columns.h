#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/rows/rows.h"
#include "runtime/layers/linear.h"
#include "runtime/layers/memory.h"
#include "runtime/search/step_model.h"

namespace eatt {

// The best columns of an output layer. Logits of all columns would be written to memory and read
// again; here those of a block of columns stay in the cache, where each row takes what it needs.
class BestColumns {
 public:
  // Of each row of the input; valid until the next call. What is found for a row depends neither on
  // the other rows nor on the size of blocks, to the last bit.
  std::span<const BestLogits> find(const Linear& output, const LinearInput& input,
                                   const BestWanted& wanted);

 private:
  void start(size_t rows, size_t columns, const BestWanted& wanted);
  void add_block(const Linear& output, const LinearInput& input, size_t first, size_t size);

  Buffer<float> block_;                  // [rows, columns of a block]
  std::vector<float> markers_;           // [rows, markers]
  std::vector<kernels::TopValue> best_;  // [rows, wanted]
  std::vector<kernels::RowSummary> summaries_;
  std::vector<BestLogits> rows_;
};

}  // namespace eatt
