// vanilla and l1: queries and keys are linear maps of the rows, scored by dot product or distance.
#include "bundle/mechanisms.h"
#include "kernels/attention/attention.h"
#include "runtime/attention/attend.h"
#include "runtime/layers/observer.h"

namespace eatt {
namespace {

class Projected : public AttentionMechanism {
 public:
  explicit Projected(const MechanismSource& source)
      : AttentionMechanism(source.shape, source.place),
        kind_(scores_by_distance(source.mechanism) ? kernels::ScoreKind::l1
                                                   : kernels::ScoreKind::dot),
        key_kind_(source.weights.precision() == Precision::float32 ? RowKind::floats
                                                                   : RowKind::halves),
        is_cross_(source.role == Role::cross) {
    const HeadFactors factors = source.weights.score_factors(source.role, source.prefix);
    const FloatMap query{source.name("q_proj"), factors}, value{source.name("v_proj")};
    FloatMap key{source.name("k_proj")};
    if (kind_ == kernels::ScoreKind::l1) key.head_factors = factors;
    const auto width = source.weights.architecture().model_dim;
    if (is_cross_) {
      query_ = source.weights.linear(source.name("q_proj"), width, {query});
      key_value_ = source.weights.linear(source.name("kv_proj"), width, {key, value});
    } else {
      query_key_value_ = source.weights.linear(source.name("qkv_proj"), width, {query, key, value});
    }
  }

  RowFormat key_format() const override { return {key_kind_, shape_.qk_dim}; }

  AttentionRows self_rows(AttentionInput& x, Scratch& s) const override {
    const size_t qk = shape_.qk_dim, v = shape_.attention_dim, out = 2 * qk + v;
    const Timed timed(s.observer, place_, {{{Duty::query, qk}, {Duty::key, qk}, {Duty::value, v}}});
    float* y = s.projected.at_least(x.rows() * out);
    apply(query_key_value_, x.linear(), y);
    return {.query = {.floats = y, .stride = out},
            .key = {.floats = y + qk, .stride = out},
            .value = {.floats = y + 2 * qk, .stride = out}};
  }

  RowsView query_rows(AttentionInput& x, Scratch& s) const override {
    const Timed timed(s.observer, place_, Duty::query);
    float* y = s.projected.at_least(x.rows() * shape_.qk_dim);
    apply(query_, x.linear(), y);
    return {.floats = y, .stride = shape_.qk_dim};
  }

  AttentionRows memory_rows(AttentionInput& y, Scratch& s) const override {
    const size_t qk = shape_.qk_dim, v = shape_.attention_dim, out = qk + v;
    const Timed timed(s.observer, place_, {{{Duty::key, qk}, {Duty::value, v}, {}}});
    float* rows = s.projected.at_least(y.rows() * out);
    apply(key_value_, y.linear(), rows);
    return {.query = {},
            .key = {.floats = rows, .stride = out},
            .value = {.floats = rows + qk, .stride = out}};
  }

  void attend_sentences(const AttentionRows& rows, const SourceRows& sentences, float* context,
                        Scratch& s) const override {
    attend_fused(*this, {.kind = kind_}, rows, sentences, context, s);
  }

  void score_row(const QueryRow& query, const RowPointers& keys, float* scores) const override {
    const kernels::RowScores shape{shape_.heads, shape_.head_dim(), keys.count};
    const float* q = query.rows.floats + query.row * query.rows.stride;
    if (keys.kind == RowKind::floats) {
      kernels::row_scores(shape, kind_, 1.0f, q, keys.floats(), scores);
    } else {
      kernels::row_scores(shape, kind_, 1.0f, q, keys.halves(), scores);
    }
  }

  void visit_weights(WeightVisitor& visitor) const override {
    if (is_cross_) {
      visitor.product("q_proj", query_, WeightVisitor::Reads::own_rows);
      visitor.product("kv_proj", key_value_, WeightVisitor::Reads::memory);
    } else {
      visitor.product("qkv_proj", query_key_value_, WeightVisitor::Reads::own_rows);
    }
  }

 private:
  kernels::ScoreKind kind_;
  RowKind key_kind_;
  bool is_cross_;
  Linear query_key_value_;    // Self-attention: [2·qk_dim + attention_dim]
  Linear query_, key_value_;  // Cross-attention: of X [qk_dim], of Y [qk_dim + attention_dim]
};

}  // namespace

MadeMechanism make_projected(const MechanismSource& source) {
  return std::make_unique<Projected>(source);
}

}  // namespace eatt
