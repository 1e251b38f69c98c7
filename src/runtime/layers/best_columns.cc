#include "runtime/layers/best_columns.h"

#include <algorithm>

namespace eatt {
namespace {

// Logits of a block, as many as stay in the second-level cache beside the weights that pass by.
constexpr size_t kBlockLogits = size_t{1} << 16;

size_t block_columns(size_t rows) {
  const size_t parts = kBlockLogits / kernels::kRowPart / std::max<size_t>(rows, 1);
  return std::max<size_t>(parts, 1) * kernels::kRowPart;
}
static_assert(kernels::kRowPart % kOutputStep == 0);

}  // namespace

std::span<const BestLogits> BestColumns::find(const Linear& output, const LinearInput& input,
                                              const BestWanted& wanted) {
  const size_t columns = outputs(output), block = block_columns(input.rows);
  start(input.rows, columns, wanted);
  for (size_t first = 0; first < columns; first += block) {
    add_block(output, input, first, std::min(block, columns - first));
  }
  for (size_t row = 0; row < input.rows; ++row) {
    rows_[row].best = {summaries_[row].best, summaries_[row].found};
    rows_[row].log_sum = summaries_[row].log_sum();
  }
  return rows_;
}

void BestColumns::start(size_t rows, size_t columns, const BestWanted& wanted) {
  const size_t markers = marker_columns(columns);
  const size_t count = std::min(wanted.count, columns - markers);
  markers_.resize(rows * markers);
  best_.resize(rows * count);
  summaries_.resize(rows);
  rows_.resize(rows);
  for (size_t row = 0; row < rows; ++row) {
    summaries_[row] = {.first = markers,
                       .capacity = count,
                       .best = best_.data() + row * count,
                       .sums = wanted.log_sums};
    rows_[row] = {.columns = columns, .markers = {markers_.data() + row * markers, markers}};
  }
}

void BestColumns::add_block(const Linear& output, const LinearInput& input, size_t first,
                            size_t size) {
  float* logits = block_.at_least(input.rows * size);
  apply(outputs_of(output, first, size), input, logits);
  if (first == 0) {
    const size_t markers = marker_columns(size);
    for (size_t row = 0; row < input.rows; ++row) {
      std::copy_n(logits + row * size, markers, markers_.data() + row * markers);
    }
  }
  kernels::add_columns(logits, size, first, size, summaries_.data(), input.rows);
}

}  // namespace eatt
