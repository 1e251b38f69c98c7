// dense and randinit (Synthesizer): scores of positions, computed without keys.
#include <algorithm>

#include "kernels/attention/attention.h"
#include "runtime/attention/attend.h"
#include "runtime/layers/observer.h"

namespace eatt {
namespace {

using Reads = WeightVisitor::Reads;

// What the two have in common: values, and no keys.
class LearnedScores : public AttentionMechanism {
 public:
  explicit LearnedScores(const MechanismSource& source)
      : AttentionMechanism(source.shape, source.place),
        width_(source.weights.architecture().model_dim),
        value_reads_(source.role == Role::cross ? Reads::memory : Reads::own_rows),
        value_(source.weights.linear(source.name("v_proj"), width_, {{source.name("v_proj")}})) {}

  RowFormat key_format() const override { return {}; }

  AttentionRows memory_rows(AttentionInput& y, Scratch& s) const override {
    const Timed timed(s.observer, place_, Duty::value);
    float* values = s.values.at_least(y.rows() * shape_.attention_dim);
    apply(value_, y.linear(), values);
    return {.query = {}, .key = {}, .value = {.floats = values, .stride = shape_.attention_dim}};
  }

  AttentionRows self_rows(AttentionInput& x, Scratch& s) const override {
    AttentionRows rows = memory_rows(x, s);
    rows.query = query_rows(x, s);
    return rows;
  }

  void visit_weights(WeightVisitor& visitor) const override {
    visitor.product("v_proj", value_, value_reads_);
  }

 protected:
  size_t width_;

 private:
  Reads value_reads_;
  Linear value_;
};

// dense: (W2·relu(W1·x))_j. The columns of W2 take the place of keys, one for each position.
class LearnedColumns : public LearnedScores {
 public:
  explicit LearnedColumns(const MechanismSource& source)
      : LearnedScores(source),
        hidden_(source.weights.linear(source.name("w1"), width_,
                                      {{.name = source.name("w1"), .has_bias = false}})) {
    const auto w2 = source.weights.floats(source.name("w2.weight"));
    float* columns = source.weights.own(w2.size());
    // [heads, max_length, n] → [max_length, heads·n]
    const size_t heads = shape_.heads, length = shape_.max_length, n = shape_.head_dim();
    for (size_t h = 0; h < heads; ++h) {
      for (size_t p = 0; p < length; ++p)
        std::copy_n(w2.data() + (h * length + p) * n, n, columns + (p * heads + h) * n);
    }
    columns_ = columns;
    for (size_t p = 0; p < length; ++p) column_rows_.push_back(columns + p * shape_.qk_dim);
  }

  RowsView query_rows(AttentionInput& x, Scratch& s) const override {
    const Timed timed(s.observer, place_, Duty::query);
    float* y = s.projected.at_least(x.rows() * shape_.qk_dim);
    apply(hidden_, x.linear(), y, kernels::Activation::relu);
    return {.floats = y, .stride = shape_.qk_dim};
  }

  void attend_sentences(const AttentionRows& rows, const SourceRows& sentences, float* context,
                        Scratch& s) const override {
    const AttentionRows with_columns{
        rows.query, {.floats = columns_, .stride = shape_.qk_dim}, rows.value};
    attend_fused(*this, {.keys_are_positions = true}, with_columns, sentences, context, s);
  }

  void score_row(const QueryRow& query, const RowPointers& keys, float* scores) const override {
    kernels::row_scores({shape_.heads, shape_.head_dim(), keys.count}, kernels::ScoreKind::dot,
                        1.0f, query.rows.floats + query.row * query.rows.stride,
                        column_rows_.data(), scores);
  }

  void visit_weights(WeightVisitor& visitor) const override {
    visitor.product("w1", hidden_, Reads::own_rows);
    LearnedScores::visit_weights(visitor);
    const size_t heads = shape_.heads, length = shape_.max_length, n = shape_.head_dim();
    std::vector<float> w2(length * shape_.qk_dim);
    for (size_t h = 0; h < heads; ++h) {
      for (size_t p = 0; p < length; ++p)
        std::copy_n(columns_ + (p * heads + h) * n, n, w2.data() + (h * length + p) * n);
    }
    visitor.table("w2.weight", {heads, length, n}, w2);
  }

 private:
  Linear hidden_;                          // W1
  const float* columns_ = nullptr;         // W2 as rows [max_length, qk_dim]
  std::vector<const float*> column_rows_;  // Each of these rows.
};

// randinit: a table of scores for each head, the same for every sentence.
class ScoreTable : public LearnedScores {
 public:
  explicit ScoreTable(const MechanismSource& source)
      : LearnedScores(source), table_(source.weights.floats(source.name("score_table"))) {}

  RowsView query_rows(AttentionInput&, Scratch&) const override { return {}; }

  void attend_sentences(const AttentionRows& rows, const SourceRows& sentences, float* context,
                        Scratch& s) const override {
    const RowsView& value = rows.value;
    for (size_t i = 0; i < sentences.sentences(); ++i) {
      const size_t first = sentences.starts[i], length = sentences.length(i);
      s.value_rows.resize(length);
      for (size_t p = 0; p < length; ++p)
        s.value_rows[p] = value.floats + (first + p) * value.stride;
      for (size_t p = 0; p < length; ++p) {
        attend_row(*this, {rows.query, first + p, p}, {.count = length},
                   {RowKind::floats, s.value_rows.data(), length},
                   context + (first + p) * shape_.attention_dim, s);
      }
    }
  }

  void score_row(const QueryRow& query, const RowPointers& keys, float* scores) const override {
    const size_t longest = shape_.max_length;
    for (size_t h = 0; h < shape_.heads; ++h) {
      std::copy_n(table_.data() + (h * longest + query.position) * longest, keys.count,
                  scores + h * keys.count);
    }
  }

  void visit_weights(WeightVisitor& visitor) const override {
    LearnedScores::visit_weights(visitor);
    visitor.table("score_table", {shape_.heads, shape_.max_length, shape_.max_length}, table_);
  }

 private:
  std::span<const float> table_;  // [heads, max_length, max_length]
};

}  // namespace

MadeMechanism make_learned_columns(const MechanismSource& source) {
  return std::make_unique<LearnedColumns>(source);
}

MadeMechanism make_score_table(const MechanismSource& source) {
  return std::make_unique<ScoreTable>(source);
}

}  // namespace eatt
