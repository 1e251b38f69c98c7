#include "runtime/shortlist/output_columns.h"

#include <algorithm>

namespace eatt {
namespace {

// Ascending, each once.
void make_set(std::vector<int32_t>& pieces) {
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

// Where each number of `part` is in `all`; both ascending.
std::vector<int32_t> places_in(const std::vector<int32_t>& all, const std::vector<int32_t>& part) {
  std::vector<int32_t> places;
  auto at = all.begin();
  for (const int32_t piece : part) {
    at = std::lower_bound(at, all.end(), piece);
    places.push_back(static_cast<int32_t>(at - all.begin()));
  }
  return places;
}

}  // namespace

void OutputColumns::start(const SourceRows& source, std::span<const std::vector<int32_t>> required) {
  lists_.assign(source.sentences(), {});
  pieces_.clear();
  for (size_t i = 0; i < lists_.size(); ++i) {
    const auto pieces = std::span(source.pieces).subspan(source.starts[i], source.length(i) - 1);
    shortlist_.pieces_for(pieces, lists_[i]);
    if (!required.empty()) {
      lists_[i].insert(lists_[i].end(), required[i].begin(), required[i].end());
      make_set(lists_[i]);
    }
    pieces_.insert(pieces_.end(), lists_[i].begin(), lists_[i].end());
  }
  make_set(pieces_);
  columns_.assign(lists_.size(), {});
  for (size_t i = 0; i < lists_.size(); ++i) {
    if (lists_[i].size() < pieces_.size()) columns_[i] = places_in(pieces_, lists_[i]);
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

std::span<const RowLogits> OutputColumns::own_rows(const float* logits,
                                                   std::span<const int32_t> sentences) {
  const size_t columns = pieces_.size();
  own_logits_.resize(sentences.size() * columns);
  own_rows_.clear();
  for (size_t row = 0; row < sentences.size(); ++row, logits += columns) {
    const auto sentence = static_cast<size_t>(sentences[row]);
    const auto& list = lists_[sentence];
    if (columns_[sentence].empty()) {
      own_rows_.push_back({{logits, list.size()}, list});
      continue;
    }
    float* own = own_logits_.data() + row * columns;
    for (size_t i = 0; i < list.size(); ++i)
      own[i] = logits[static_cast<size_t>(columns_[sentence][i])];
    own_rows_.push_back({{own, list.size()}, list});
  }
  return own_rows_;
}

}  // namespace eatt
