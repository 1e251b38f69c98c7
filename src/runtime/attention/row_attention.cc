#include "runtime/attention/row_attention.h"

#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/rows/logits.h"

namespace eatt {
namespace {

template <class T>
const T* const* rows_as(const std::vector<const void*>& rows) {
  return reinterpret_cast<const T* const*>(rows.data());
}

// Whole numbers times the unit of their head; `out` is one or two times all heads.
void scale_whole_rows(const Architecture& architecture, const float* units, const int16_t* whole,
                      size_t rows, size_t out, float* y) {
  const size_t heads = architecture.heads;
  const size_t n = architecture.qk_head_dim();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t first = 0; first < out; first += n, whole += n, y += n) {
      const float unit = units[first / n % heads];
      for (size_t i = 0; i < n; ++i) y[i] = unit * static_cast<float>(whole[i]);
    }
  }
}

}  // namespace

void QueryRows::write(size_t row, size_t offset, RowStore& store, size_t slot) const {
  if (whole != nullptr) {
    store.write(slot, whole + row * stride + offset);
  } else {
    store.write(slot, floats + row * stride + offset);
  }
}

QueryRows select_rows(const Model& model, const AttentionWeights& attention,
                      const SelectionWeights& weights, const kernels::CodeLists& codes,
                      Scratch& scratch) {
  const size_t rows = codes.rows, out = weights.out;
  QueryRows result{.stride = out};
  if (!selects_whole_numbers(weights)) {
    float* y = scratch.projected.at_least(rows * out);
    select(weights, codes, y);
    result.floats = y;
    return result;
  }
  int16_t* whole = scratch.selected.at_least(rows * out);
  select(weights, codes, whole);
  if (scratch.steps != nullptr) scratch.steps->selected(weights, rows, whole);
  if (attention.mechanism == Mechanism::eatt) {
    result.whole = whole;
    return result;
  }
  float* y = scratch.projected.at_least(rows * out);
  const auto& pair = std::get<SelectedPair>(attention.scores);
  scale_whole_rows(model.architecture, pair.units, whole, rows, out, y);
  result.floats = y;
  return result;
}

RowAttention::RowAttention(const Model& model, const AttentionWeights& weights,
                           const KeyValueRows& rows, Scratch& scratch)
    : architecture_(model.architecture),
      weights_(weights),
      rows_(rows),
      s_(scratch),
      heads_(model.architecture.heads) {}

void RowAttention::see_slot(size_t i, size_t slot) {
  s_.value_rows[i] = rows_.values.row(slot);
  if (const auto* columns = std::get_if<LearnedColumns>(&weights_.scores)) {
    s_.key_rows[i] = columns->columns + i * architecture_.qk_dim;
  } else if (weights_.mechanism != Mechanism::randinit) {
    s_.key_rows[i] = rows_.keys.row(slot);
  }
}

void RowAttention::see(std::span<const uint32_t> slots) {
  count_ = slots.size();
  s_.key_rows.resize(count_);
  s_.value_rows.resize(count_);
  for (size_t i = 0; i < count_; ++i) see_slot(i, slots[i]);
}

void RowAttention::see_range(size_t first, size_t count) {
  count_ = count;
  s_.key_rows.resize(count_);
  s_.value_rows.resize(count_);
  for (size_t i = 0; i < count_; ++i) see_slot(i, first + i);
}

void RowAttention::attend(const QueryRows& queries, size_t row, size_t position, float* mixed) {
  scores_ = s_.scores.at_least(heads_ * count_);
  score(queries, row, position);
  if (s_.steps != nullptr) s_.steps->scores(weights_, {scores_, heads_, 1, count_});
  const TimedPart timed(s_.times, Part::context);
  kernels::softmax_rows(scores_, heads_, count_, scores_);
  mix(mixed);
}

void RowAttention::score(const QueryRows& queries, size_t row, size_t position) {
  const TimedPart timed(s_.times, Part::scores);
  if (const auto* table = std::get_if<ScoreTable>(&weights_.scores)) {
    const size_t longest = architecture_.max_length;
    for (size_t h = 0; h < heads_; ++h) {
      std::copy_n(table->scores + (h * longest + position) * longest, count_, scores_ + h * count_);
    }
    return;
  }
  score_keys(queries, row);
}

void RowAttention::score_keys(const QueryRows& queries, size_t row) {
  const kernels::RowScores shape{heads_, architecture_.qk_head_dim(), count_};
  const size_t begin = row * queries.stride;
  if (queries.whole != nullptr) {
    kernels::row_l1_scores(shape, std::get<SelectedPair>(weights_.scores).units,
                           queries.whole + begin, rows_as<int16_t>(s_.key_rows), scores_);
    return;
  }
  const auto kind =
      scores_by_distance(weights_.mechanism) ? kernels::ScoreKind::l1 : kernels::ScoreKind::dot;
  const bool learned = weights_.mechanism == Mechanism::dense;
  if (learned || rows_.keys.kind() == RowKind::floats) {
    kernels::row_scores(shape, kind, 1.0f, queries.floats + begin, rows_as<float>(s_.key_rows),
                        scores_);
  } else {
    kernels::row_scores(shape, kind, 1.0f, queries.floats + begin,
                        rows_as<kernels::Half>(s_.key_rows), scores_);
  }
}

void RowAttention::mix(float* mixed) {
  const kernels::RowMix shape{heads_, architecture_.value_head_dim(), count_};
  if (rows_.values.kind() == RowKind::floats) {
    kernels::mix_value_rows(shape, scores_, rows_as<float>(s_.value_rows), mixed);
  } else {
    kernels::mix_value_rows(shape, scores_, rows_as<kernels::Half>(s_.value_rows), mixed);
  }
}

void RowAttention::show(int head, float* weights) const {
  if (head >= 0) {
    std::copy_n(scores_ + static_cast<size_t>(head) * count_, count_, weights);
    return;
  }
  std::fill_n(weights, count_, 0.0f);
  for (size_t h = 0; h < heads_; ++h) {
    for (size_t i = 0; i < count_; ++i) weights[i] += scores_[h * count_ + i];
  }
  for (size_t i = 0; i < count_; ++i) weights[i] /= static_cast<float>(heads_);
}

}  // namespace eatt
