#include "runtime/output_columns.h"

#include <algorithm>
#include <limits>

namespace eatt {

void OutputColumns::start(const SourceRows& source) {
  std::vector<std::vector<int32_t>> lists(source.sentences());
  pieces_.clear();
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto pieces = std::span(source.pieces).subspan(source.starts[i], source.length(i) - 1);
    shortlist_.pieces_for(pieces, lists[i]);
    pieces_.insert(pieces_.end(), lists[i].begin(), lists[i].end());
  }
  std::ranges::sort(pieces_);
  pieces_.erase(std::unique(pieces_.begin(), pieces_.end()), pieces_.end());
  forbidden_.assign(lists.size(), {});
  for (size_t i = 0; i < lists.size(); ++i) {
    auto own = lists[i].begin();
    for (size_t column = 0; column < pieces_.size(); ++column) {
      if (own != lists[i].end() && *own == pieces_[column]) {
        ++own;
      } else {
        forbidden_[i].push_back(static_cast<int32_t>(column));
      }
    }
  }
  std::visit([&](const auto& from) { gather(from); }, output_);
}

void OutputColumns::gather(const kernels::FloatMatrix& from) {
  float* panels = float_panels_.at_least(kernels::float_panels_size(from.in, pieces_.size()));
  kernels::gather_float_panels(from, pieces_, panels);
  matrix_ = kernels::FloatMatrix{from.in, pieces_.size(), panels, nullptr};
}

void OutputColumns::gather(const kernels::Int8Matrix& from) {
  const size_t count = pieces_.size();
  const kernels::Int8Columns out{
      .panels = int8_panels_.at_least(kernels::int8_panels_size(from.in, count)),
      .sums = sums_.at_least(kernels::int8_padded_columns(count)),
      .scales = scales_.at_least(count),
      .bias = nullptr};
  kernels::gather_int8_panels(from, pieces_, out);
  matrix_ = kernels::Int8Matrix{from.in, count, out.panels, out.sums, out.scales, nullptr};
}

void OutputColumns::forbid_others(size_t sentence, float* logits) const {
  for (const int32_t column : forbidden_[sentence])
    logits[column] = -std::numeric_limits<float>::infinity();
}

}  // namespace eatt
