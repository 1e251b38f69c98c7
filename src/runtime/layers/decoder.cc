#include "runtime/layers/decoder.h"

#include <algorithm>

#include "runtime/attention/row_attention.h"
#include "runtime/layers/layer_steps.h"

namespace eatt {
namespace {

// Rows of the source whose keys and values are computed at a time.
constexpr size_t kRowsAtATime = 128;

// Y of cross-attention → keys and values of one layer.
class SourceKeys {
 public:
  SourceKeys(const Model& model, size_t layer, DecoderState& state, Scratch& scratch)
      : model_(model),
        weights_(model.decoder[layer].cross),
        rows_(state.cross[layer]),
        s_(scratch),
        qk_(model.architecture.qk_dim),
        v_(model.architecture.attention_dim) {}

  // Rows first … first + input.rows − 1 of the source.
  void remember(size_t first, const LinearInput& input, const kernels::CodeLists* codes) {
    if (const auto* pair = std::get_if<ProjectedPair>(&weights_.scores)) {
      project(pair->key_value, first, input);
      return;
    }
    if (const auto* pair = std::get_if<SelectedPair>(&weights_.scores)) {
      select_keys(*pair, first, *codes);
      remember_values(pair->value, first, input);
      return;
    }
    const auto* columns = std::get_if<LearnedColumns>(&weights_.scores);
    remember_values(
        columns != nullptr ? columns->value : std::get<ScoreTable>(weights_.scores).value, first,
        input);
  }

 private:
  void project(const Linear& key_value, size_t first, const LinearInput& input) {
    const double share = static_cast<double>(qk_) / static_cast<double>(qk_ + v_);
    const TimedPart timed(s_.times, Part::query_key, share, Part::value);
    float* y = s_.projected.at_least(input.rows * (qk_ + v_));
    apply(key_value, input, y);
    for (size_t i = 0; i < input.rows; ++i, y += qk_ + v_) {
      rows_.keys.write(first + i, y);
      rows_.values.write(first + i, y + qk_);
    }
  }

  void select_keys(const SelectedPair& pair, size_t first, const kernels::CodeLists& codes) {
    const TimedPart timed(s_.times, Part::query_key);
    const QueryRows keys = select_rows(model_, weights_, pair.key, codes, s_);
    for (size_t i = 0; i < codes.rows; ++i) keys.write(i, 0, rows_.keys, first + i);
  }

  void remember_values(const Linear& value, size_t first, const LinearInput& input) {
    const TimedPart timed(s_.times, Part::value);
    float* y = s_.values.at_least(input.rows * v_);
    apply(value, input, y);
    for (size_t i = 0; i < input.rows; ++i) rows_.values.write(first + i, y + i * v_);
  }

  const Model& model_;
  const AttentionWeights& weights_;
  KeyValueRows& rows_;
  Scratch& s_;
  size_t qk_, v_;
};

}  // namespace

void remember_source(const Model& model, const float* encoded, DecoderState& state,
                     Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  const size_t rows = state.source().rows();
  for (size_t first = 0; first < rows; first += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, rows - first);
    const float* y = encoded + first * width;
    const LinearInput input = linear_input(model.precision, y, count, width, scratch);
    std::optional<kernels::CodeLists> codes;
    if (model.memory_threshold) {
      codes =
          binary_codes(*model.memory_threshold, y, count, width, CodePlace::cross_key, 0, scratch);
    }
    for (size_t layer = 0; layer < model.decoder.size(); ++layer) {
      SourceKeys(model, layer, state, scratch).remember(first, input, codes ? &*codes : nullptr);
    }
  }
}

namespace {

// The attention sub-layers of one step.
class StepAttention {
 public:
  StepAttention(const Model& model, std::span<const StepRow> rows, DecoderState& state,
                Scratch& scratch)
      : model_(model),
        rows_(rows),
        state_(state),
        s_(scratch),
        width_(model.architecture.model_dim),
        qk_(model.architecture.qk_dim),
        v_(model.architecture.attention_dim) {}

  void self(size_t layer, float* x) {
    const AttentionWeights& weights = model_.decoder[layer].self;
    KeyValueRows& cache = state_.self[layer];
    const Residual residual{model_.architecture, weights.norm, rows_.size()};
    const float* normed = residual.before(x, s_);
    const QueryRows queries = self_queries(weights, layer, normed, cache);
    float* mixed = s_.mixed.at_least(rows_.size() * v_);
    RowAttention attention(model_, weights, cache, s_);
    for (size_t row = 0; row < rows_.size(); ++row) {
      attention.see(state_.slots(row));
      attention.attend(queries, row, state_.step() - 1, mixed + row * v_);
    }
    finish(weights, residual, mixed, x);
  }

  void cross(size_t layer, const WantedAttention& wanted, float* x) {
    const AttentionWeights& weights = model_.decoder[layer].cross;
    const Residual residual{model_.architecture, weights.norm, rows_.size()};
    const float* normed = residual.before(x, s_);
    const QueryRows queries = cross_queries(weights, layer, normed);
    float* mixed = s_.mixed.at_least(rows_.size() * v_);
    RowAttention attention(model_, weights, state_.cross[layer], s_);
    const bool shown = wanted.rows != nullptr && wanted.layer == layer;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const auto sentence = static_cast<size_t>(rows_[row].sentence);
      attention.see_range(state_.source().starts[sentence], state_.source().length(sentence));
      attention.attend(queries, row, state_.step() - 1, mixed + row * v_);
      if (shown) attention.show(wanted.head, wanted.rows + row * wanted.stride);
    }
    finish(weights, residual, mixed, x);
  }

 private:
  // Queries of the new positions; their keys and values go to the cache.
  QueryRows self_queries(const AttentionWeights& weights, size_t layer, const float* normed,
                         KeyValueRows& cache) {
    const size_t rows = rows_.size();
    const LinearInput input = linear_input(model_.precision, normed, rows, width_, s_);
    if (const auto* pair = std::get_if<ProjectedPair>(&weights.scores)) {
      const size_t out = 2 * qk_ + v_;
      const double share = static_cast<double>(2 * qk_) / static_cast<double>(out);
      const TimedPart timed(s_.times, Part::query_key, share, Part::value);
      float* y = s_.projected.at_least(rows * out);
      apply(pair->query_key_value, input, y);
      for (size_t row = 0; row < rows; ++row) {
        cache.keys.write(slot(row), y + row * out + qk_);
        cache.values.write(slot(row), y + row * out + 2 * qk_);
      }
      return {.floats = y, .stride = out};
    }
    if (const auto* pair = std::get_if<SelectedPair>(&weights.scores)) {
      write_values(pair->value, input, cache);
      const TimedPart timed(s_.times, Part::query_key);
      const auto codes = binary_codes(pair->query_threshold, normed, rows, width_,
                                      CodePlace::decoder_self, layer, s_);
      const QueryRows both = select_rows(model_, weights, pair->query_key, codes, s_);
      for (size_t row = 0; row < rows; ++row) both.write(row, qk_, cache.keys, slot(row));
      return both;
    }
    if (const auto* columns = std::get_if<LearnedColumns>(&weights.scores)) {
      write_values(columns->value, input, cache);
      return hidden_queries(*columns, input);
    }
    write_values(std::get<ScoreTable>(weights.scores).value, input, cache);
    return {};
  }

  QueryRows cross_queries(const AttentionWeights& weights, size_t layer, const float* normed) {
    const size_t rows = rows_.size();
    const TimedPart timed(s_.times, Part::query_key);
    if (const auto* pair = std::get_if<ProjectedPair>(&weights.scores)) {
      float* y = s_.projected.at_least(rows * qk_);
      apply(pair->query, linear_input(model_.precision, normed, rows, width_, s_), y);
      return {.floats = y, .stride = qk_};
    }
    if (const auto* pair = std::get_if<SelectedPair>(&weights.scores)) {
      const auto codes = binary_codes(pair->query_threshold, normed, rows, width_,
                                      CodePlace::cross_query, layer, s_);
      return select_rows(model_, weights, pair->query, codes, s_);
    }
    if (const auto* columns = std::get_if<LearnedColumns>(&weights.scores))
      return hidden_queries(*columns, linear_input(model_.precision, normed, rows, width_, s_));
    return {};
  }

  QueryRows hidden_queries(const LearnedColumns& columns, const LinearInput& input) {
    float* y = s_.projected.at_least(input.rows * qk_);
    apply(columns.hidden, input, y, kernels::Activation::relu);
    return {.floats = y, .stride = qk_};
  }

  void write_values(const Linear& value, const LinearInput& input, KeyValueRows& cache) {
    const TimedPart timed(s_.times, Part::value);
    float* y = s_.values.at_least(rows_.size() * v_);
    apply(value, input, y);
    for (size_t row = 0; row < rows_.size(); ++row) cache.values.write(slot(row), y + row * v_);
  }

  uint32_t slot(size_t row) const { return state_.slots(row).back(); }

  void finish(const AttentionWeights& weights, const Residual& residual, const float* mixed,
              float* x) {
    float* change = s_.change.at_least(rows_.size() * width_);
    {
      const TimedPart timed(s_.times, Part::output);
      apply(weights.output, linear_input(model_.precision, mixed, rows_.size(), v_, s_), change);
    }
    residual.after(change, x, s_);
  }

  const Model& model_;
  std::span<const StepRow> rows_;
  DecoderState& state_;
  Scratch& s_;
  size_t width_, qk_, v_;
};

}  // namespace

void decode_step(const Model& model, std::span<const StepRow> rows, const float* position,
                 const WantedAttention& wanted, DecoderState& state, float* x, Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  {
    const TimedPart timed(scratch.times, Part::embedding);
    for (size_t row = 0; row < rows.size(); ++row)
      embed(model, model.target_embedding, rows[row].piece, position, x + row * width);
  }
  StepAttention attention(model, rows, state, scratch);
  for (size_t layer = 0; layer < model.decoder.size(); ++layer) {
    attention.self(layer, x);
    attention.cross(layer, wanted, x);
    feed_forward(model, model.decoder[layer].feed_forward, rows.size(), x, scratch);
  }
  if (model.decoder_norm) {
    last_norm(model.architecture, *model.decoder_norm, rows.size(), x, scratch);
  }
}

}  // namespace eatt
