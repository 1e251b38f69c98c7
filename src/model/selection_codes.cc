#include "model/selection_codes.h"

namespace eatt {

CodeIndex::CodeIndex(const torch::Tensor& x, const torch::Tensor& threshold)
    : rows_(static_cast<size_t>(x.size(0))), dim_(static_cast<size_t>(x.size(1))) {
  bits_.resize(rows_ * kernels::code_words(dim_));
  ones_ = kernels::selection_codes(
      x.data_ptr<float>(), dim_, rows_, dim_,
      {threshold.data_ptr<float>(), /*per_feature=*/threshold.dim() > 0}, bits_.data());
}

double CodeIndex::density() const {
  const size_t size = rows_ * dim_;
  return size == 0 ? 0.0 : static_cast<double>(ones_) / static_cast<double>(size);
}

void CodeIndex::write_floats(float* codes) const {
  kernels::codes_to_floats(bits_.data(), rows_, dim_, codes, dim_);
}

void CodeIndex::fill(Lists& lists, const std::vector<uint64_t>& bits, size_t rows, size_t dim) {
  lists.positions.resize(kernels::code_positions_size(rows, dim));
  lists.counts.resize(kernels::code_counts_size(rows, dim));
  lists.lists =
      kernels::code_lists(bits.data(), rows, dim, lists.positions.data(), lists.counts.data());
}

const kernels::CodeLists& CodeIndex::by_row() const {
  std::call_once(by_row_.once, [this] { fill(by_row_, bits_, rows_, dim_); });
  return by_row_.lists;
}

const kernels::CodeLists& CodeIndex::by_feature() const {
  std::call_once(by_feature_.once, [this] {
    std::vector<uint64_t> transposed(dim_ * kernels::code_words(rows_));
    kernels::transpose_codes(bits_.data(), rows_, dim_, transposed.data());
    fill(by_feature_, transposed, dim_, rows_);
  });
  return by_feature_.lists;
}

}  // namespace eatt
