#include "runtime/layers/encoder.h"

#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/rows/logits.h"
#include "runtime/layers/layer_steps.h"

namespace eatt {
namespace {

// Queries, keys and values of all rows, and how they score. Keys of dense attention are positions,
// the same for every sentence.
struct Attended {
  kernels::ScoreKind kind = kernels::ScoreKind::dot;
  const float *query, *key, *value;
  size_t query_stride, key_stride, value_stride;
  bool keys_are_positions = false;
  const float* units = nullptr;  // [heads]: factors of the scores; null: 1.
};

class SelfAttention {
 public:
  SelfAttention(const Model& model, const SourceRows& source, size_t layer, Scratch& scratch)
      : model_(model),
        weights_(model.encoder[layer].self),
        source_(source),
        layer_(layer),
        s_(scratch),
        width_(model.architecture.model_dim),
        qk_(model.architecture.qk_dim),
        v_(model.architecture.attention_dim) {}

  void run(float* x) {
    const size_t rows = source_.rows();
    const Residual residual{model_.architecture, weights_.norm, rows};
    const float* normed = residual.before(x, s_);
    float* mixed = s_.mixed.at_least(rows * v_);
    if (const auto* table = std::get_if<ScoreTable>(&weights_.scores)) {
      mix_by_table(table->scores, value_rows(table->value, normed), mixed);
    } else {
      attend(prepare(normed), mixed);
    }
    float* change = s_.change.at_least(rows * width_);
    {
      const TimedPart timed(s_.times, Part::output);
      apply(weights_.output, linear_input(model_.precision, mixed, rows, v_, s_), change);
    }
    residual.after(change, x, s_);
  }

 private:
  Attended prepare(const float* normed) {
    if (const auto* pair = std::get_if<ProjectedPair>(&weights_.scores))
      return project(*pair, normed);
    if (const auto* pair = std::get_if<SelectedPair>(&weights_.scores))
      return select_pair(*pair, normed);
    return learned(std::get<LearnedColumns>(weights_.scores), normed);
  }

  kernels::ScoreKind kind() const {
    return scores_by_distance(weights_.mechanism) ? kernels::ScoreKind::l1
                                                  : kernels::ScoreKind::dot;
  }

  const float* value_rows(const Linear& linear, const float* normed) {
    const TimedPart timed(s_.times, Part::value);
    float* values = s_.values.at_least(source_.rows() * v_);
    apply(linear, linear_input(model_.precision, normed, source_.rows(), width_, s_), values);
    return values;
  }

  Attended project(const ProjectedPair& pair, const float* normed) {
    const size_t out = 2 * qk_ + v_;
    const double share = static_cast<double>(2 * qk_) / static_cast<double>(out);
    const TimedPart timed(s_.times, Part::query_key, share, Part::value);
    float* y = s_.projected.at_least(source_.rows() * out);
    apply(pair.query_key_value, linear_input(model_.precision, normed, source_.rows(), width_, s_),
          y);
    return {kind(), y, y + qk_, y + 2 * qk_, out, out, out};
  }

  Attended select_pair(const SelectedPair& pair, const float* normed) {
    const float* values = value_rows(pair.value, normed);
    const TimedPart timed(s_.times, Part::query_key);
    const size_t rows = source_.rows(), out = 2 * qk_;
    const auto codes = binary_codes(pair.query_threshold, normed, rows, width_,
                                    CodePlace::encoder_self, layer_, s_);
    float* y = s_.projected.at_least(rows * out);
    if (selects_whole_numbers(pair.query_key)) {
      int16_t* whole = s_.selected.at_least(rows * out);
      select(pair.query_key, codes, whole);
      if (s_.steps != nullptr) s_.steps->selected(pair.query_key, rows, whole);
      // Whole numbers of 16 bits are exact as floats, and so are sums of 256 of them: distances of
      // heads up to that width.
      std::copy_n(whole, rows * out, y);
    } else {
      select(pair.query_key, codes, y);
    }
    return {kind(), y, y + qk_, values, out, out, v_, false, pair.units};
  }

  Attended learned(const LearnedColumns& columns, const float* normed) {
    const float* values = value_rows(columns.value, normed);
    const TimedPart timed(s_.times, Part::query_key);
    float* hidden = s_.projected.at_least(source_.rows() * qk_);
    apply(columns.hidden, linear_input(model_.precision, normed, source_.rows(), width_, s_),
          hidden, kernels::Activation::relu);
    return {kernels::ScoreKind::dot, hidden, columns.columns, values, qk_, qk_, v_, true};
  }

  // mixed [rows, attention_dim], sentence by sentence.
  void attend(const Attended& a, float* mixed) {
    const TimedPart timed(s_.times, Part::fused_attention);
    const size_t heads = model_.architecture.heads;
    const size_t n = qk_ / heads, value_dim = v_ / heads;
    for (size_t i = 0; i < source_.sentences(); ++i) {
      const size_t first = source_.starts[i], length = source_.length(i);
      kernels::Attention attention{.kind = a.kind,
                                   .batch = 1,
                                   .heads = heads,
                                   .query_len = length,
                                   .key_len = length,
                                   .head_dim = n,
                                   .value_dim = value_dim,
                                   .factor = 1.0f};
      const float* key = a.keys_are_positions ? a.key : a.key + first * a.key_stride;
      const kernels::AttentionForward tensors{
          .query = {a.query + first * a.query_stride, 0, a.query_stride, n},
          .key = {key, 0, a.key_stride, n},
          .value = {a.value + first * a.value_stride, 0, a.value_stride, value_dim},
          .out = {mixed + first * v_, 0, v_, value_dim},
          .log_sums = s_.log_sums.at_least(heads * length),
          .weights = nullptr};
      float* scratch = s_.attention.at_least(kernels::attention_forward_scratch(attention));
      attend_heads(attention, tensors, a, scratch);
      if (s_.steps != nullptr) tell_scores(attention, tensors, a);
    }
  }

  static float head_factor(const Attended& a, size_t head) {
    if (a.units == nullptr) return 1.0f;
    return a.kind == kernels::ScoreKind::l1 ? a.units[head] : a.units[head] * a.units[head];
  }

  // The attention kernel keeps no scores; these are made by the same operations.
  void tell_scores(const kernels::Attention& attention, const kernels::AttentionForward& tensors,
                   const Attended& a) const {
    const size_t n = attention.head_dim, length = attention.query_len;
    std::vector<float> scores(attention.heads * length * length);
    std::vector<float> scratch(kernels::pairwise_scores_scratch(length, n));
    for (size_t h = 0; h < attention.heads; ++h) {
      kernels::pairwise_scores({a.kind, n, head_factor(a, h)},
                               {tensors.query.head(0, h), length, a.query_stride},
                               {tensors.key.head(0, h), length, a.key_stride},
                               scores.data() + h * length * length, length, scratch.data());
    }
    s_.steps->scores(weights_, {scores.data(), attention.heads, length, length});
  }

  // Whole numbers have a unit of their own in each head. Of a dot product both sides have it.
  static void attend_heads(kernels::Attention& attention, const kernels::AttentionForward& tensors,
                           const Attended& a, float* scratch) {
    if (a.units == nullptr) {
      kernels::attention_forward(attention, tensors, 0, attention.heads, scratch);
      return;
    }
    for (size_t h = 0; h < attention.heads; ++h) {
      attention.factor = head_factor(a, h);
      kernels::attention_forward(attention, tensors, h, h + 1, scratch);
    }
  }

  void mix_by_table(const float* table, const float* values, float* mixed) {
    const TimedPart timed(s_.times, Part::context);
    const size_t heads = model_.architecture.heads;
    const size_t longest = model_.architecture.max_length;
    std::vector<const float*> rows(source_.longest());
    for (size_t i = 0; i < source_.sentences(); ++i) {
      const size_t first = source_.starts[i], length = source_.length(i);
      float* scores = s_.scores.at_least(heads * length);
      for (size_t p = 0; p < length; ++p) rows[p] = values + (first + p) * v_;
      for (size_t p = 0; p < length; ++p) {
        for (size_t h = 0; h < heads; ++h)
          std::copy_n(table + (h * longest + p) * longest, length, scores + h * length);
        if (s_.steps != nullptr) s_.steps->scores(weights_, {scores, heads, 1, length});
        kernels::softmax_rows(scores, heads, length, scores);
        kernels::mix_value_rows({heads, v_ / heads, length}, scores, rows.data(),
                                mixed + (first + p) * v_);
      }
    }
  }

  const Model& model_;
  const AttentionWeights& weights_;
  const SourceRows& source_;
  size_t layer_;
  Scratch& s_;
  size_t width_, qk_, v_;
};

void embed_source(const Model& model, const SourceRows& source, const float* positions, float* x,
                  Scratch& scratch) {
  const TimedPart timed(scratch.times, Part::embedding);
  const size_t width = model.architecture.model_dim;
  for (size_t i = 0; i < source.sentences(); ++i) {
    for (size_t row = source.starts[i]; row < source.starts[i + 1]; ++row) {
      embed(model, model.source_embedding, source.pieces[row],
            positions + (row - source.starts[i]) * width, x + row * width);
    }
  }
}

}  // namespace

size_t SourceRows::longest() const {
  size_t most = 0;
  for (size_t i = 0; i < sentences(); ++i) most = std::max(most, length(i));
  return most;
}

void encode(const Model& model, const SourceRows& source, const float* positions, float* x,
            Scratch& scratch) {
  embed_source(model, source, positions, x, scratch);
  for (size_t layer = 0; layer < model.encoder.size(); ++layer) {
    SelfAttention(model, source, layer, scratch).run(x);
    feed_forward(model, model.encoder[layer].feed_forward, source.rows(), x, scratch);
  }
  if (model.encoder_norm) {
    last_norm(model.architecture, *model.encoder_norm, source.rows(), x, scratch);
  }
}

}  // namespace eatt
