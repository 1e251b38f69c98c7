// eatt and selection: queries and keys are sums of the weights that codes select, scored by
// distance (eatt) or by dot product. In int8 the sums are integers, each head with a unit.
#include <algorithm>

#include "bundle/mechanisms.h"
#include "kernels/attention/attention.h"
#include "kernels/selection/selection.h"
#include "kernels/selection/selection_int8.h"
#include "runtime/attention/attend.h"
#include "runtime/layers/observer.h"

namespace eatt {
namespace {

// Where the codes of the encoder's output are made, once for all layers.
constexpr Place kMemoryPlace{Stack::decoder, 0, SubLayer::cross_attention};

using kernels::Joining;

// Adds up the rows of the weights that one list of codes selects.
void join(const SelectionWeights& weights, const kernels::CodeLists& codes, bool with_bias,
          Joining joining, float* y) {
  const auto& [packed, bias] = std::get<FloatSelection>(weights.weights);
  const auto select = weights.panels ? kernels::select_from_panels : kernels::select_from_rows;
  select(codes, packed, weights.out, with_bias ? bias : nullptr, y, weights.out, joining);
}

void join(const SelectionWeights& weights, const kernels::CodeLists& codes, bool with_bias,
          Joining joining, int16_t* y) {
  const auto& [packed, bias] = std::get<Int8Selection>(weights.weights);
  const kernels::Int8Packing packing{weights.panels ? kernels::Int8Layout::panels
                                                    : kernels::Int8Layout::rows};
  kernels::select_int8(codes, packed, packing, weights.out, with_bias ? bias : nullptr, y,
                       weights.out, joining);
}

const float* bias_of(const SelectionWeights& weights, const float*) {
  return std::get<FloatSelection>(weights.weights).bias;
}
const int16_t* bias_of(const SelectionWeights& weights, const int16_t*) {
  return std::get<Int8Selection>(weights.weights).bias;
}

// y [rows, out] = codes · weightsᵀ + bias. Signed codes go from the highest binary digit to the
// lowest: what has been added up so far is doubled by adding it to itself, and the rows of the
// codes that have the next digit are added or subtracted. Number: float or int16_t.
template <class Number>
void select(const SelectionWeights& weights, const RowCodes& codes, Number* y) {
  if (codes.levels == 0) {
    join(weights, codes.planes[0], /*with_bias=*/true, Joining::start, y);
    return;
  }
  const size_t size = codes.rows() * weights.out, digits = kernels::code_digits(codes.levels);
  const bool starts_with_bias = digits == 1;  // Nothing will be doubled.
  for (size_t digit = digits; digit-- > 0;) {
    const bool first = digit + 1 == digits;
    if (!first) {
      for (size_t i = 0; i < size; ++i) y[i] = static_cast<Number>(y[i] + y[i]);
    }
    join(weights, codes.planes[2 * digit], first && starts_with_bias,
         first ? Joining::start : Joining::add, y);
    join(weights, codes.planes[2 * digit + 1], false, Joining::subtract, y);
  }
  if (starts_with_bias) return;
  const Number* bias = bias_of(weights, y);
  for (size_t row = 0; row < codes.rows(); ++row, y += weights.out) {
    for (size_t o = 0; o < weights.out; ++o) y[o] = static_cast<Number>(y[o] + bias[o]);
  }
}

class Selected : public AttentionMechanism {
 public:
  explicit Selected(const MechanismSource& source)
      : AttentionMechanism(source.shape, source.place),
        width_(source.weights.architecture().model_dim),
        distances_(scores_by_distance(source.mechanism)),
        is_cross_(source.role == Role::cross) {
    load(source);
    if (source.weights.precision() == Precision::float32) {
      form_ = Form::floats;
    } else if (source.role == Role::encoder_self) {
      form_ = Form::integers_as_floats;
    } else {
      form_ = distances_ ? Form::integers : Form::scaled;
    }
    if (form_ == Form::integers_as_floats) {
      // Of a dot product both sides have the unit.
      for (size_t h = 0; h < shape_.heads; ++h)
        factors_.push_back(distances_ ? units_[h] : units_[h] * units_[h]);
    }
  }

  RowFormat key_format() const override {
    const RowKind kind = form_ == Form::integers ? RowKind::integers
                         : form_ == Form::scaled ? RowKind::halves
                                                 : RowKind::floats;
    return {kind, shape_.qk_dim};
  }

  AttentionRows self_rows(AttentionInput& x, Scratch& s) const override {
    AttentionRows rows;
    rows.value = value_rows(x, s);
    const size_t qk = shape_.qk_dim;
    const Timed timed(s.observer, place_, {{{Duty::query, 1}, {Duty::key, 1}, {}}});
    rows.query = select_rows(query_key_, x.codes(query_coding_, place_, Duty::query), s);
    rows.key = rows.query;
    if (rows.key.integers != nullptr) rows.key.integers += qk;
    if (rows.key.floats != nullptr) rows.key.floats += qk;
    return rows;
  }

  RowsView query_rows(AttentionInput& x, Scratch& s) const override {
    const Timed timed(s.observer, place_, Duty::query);
    return select_rows(query_, x.codes(query_coding_, place_, Duty::query), s);
  }

  AttentionRows memory_rows(AttentionInput& y, Scratch& s) const override {
    AttentionRows rows;
    rows.value = value_rows(y, s);
    const Timed timed(s.observer, place_, Duty::key);
    rows.key = select_rows(key_, y.codes(memory_coding_, kMemoryPlace, Duty::key), s);
    return rows;
  }

  void attend_sentences(const AttentionRows& rows, const SourceRows& sentences, float* context,
                        Scratch& s) const override {
    attend_fused(*this, {.kind = kind(), .factors = factors_}, rows, sentences, context, s);
  }

  void score_row(const QueryRow& query, const RowPointers& keys, float* scores) const override {
    const kernels::RowScores shape{shape_.heads, shape_.head_dim(), keys.count};
    const size_t begin = query.row * query.rows.stride;
    if (keys.kind == RowKind::integers) {
      kernels::row_l1_scores(shape, units_, query.rows.integers + begin, keys.integers(), scores);
    } else if (keys.kind == RowKind::floats) {
      kernels::row_scores(shape, kind(), 1.0f, query.rows.floats + begin, keys.floats(), scores);
    } else {
      kernels::row_scores(shape, kind(), 1.0f, query.rows.floats + begin, keys.halves(), scores);
    }
  }

  void visit_weights(WeightVisitor& visitor) const override {
    SelectedPairView view{.query = {&query_, 0},
                          .key = {&key_, 0},
                          .units = units_,
                          .query_coding = query_coding_,
                          .key_coding = memory_coding_,
                          .scores_are_distances = distances_};
    if (!is_cross_) {
      view.query = {&query_key_, 0};
      view.key = {&query_key_, shape_.qk_dim};
      view.key_coding = query_coding_;
    }
    visitor.selected_pair(view);
    visitor.product("v_proj", value_,
                    is_cross_ ? WeightVisitor::Reads::memory : WeightVisitor::Reads::own_rows);
  }

 private:
  // What becomes of the sums: in int8, the fused kernel of the encoder reads integers as floats
  // and multiplies its scores by the units; the decoder keeps integers for distances, and floats
  // times their units for dot products.
  enum class Form { floats, integers, integers_as_floats, scaled };

  // The encoder computes many rows at once, the decoder few.
  void load(const MechanismSource& source) {
    WeightReader& weights = source.weights;
    const HeadFactors factors = weights.score_factors(source.role, source.prefix);
    const size_t levels = weights.architecture().code_levels;
    const auto unit = static_cast<float>(code_unit(weights.architecture()));
    const FloatMap query{
        .name = source.name("q_proj"), .head_factors = factors, .weight_factor = unit};
    FloatMap key{.name = source.name("k_proj"), .weight_factor = unit};
    if (distances_) key.head_factors = factors;
    query_coding_.levels = memory_coding_.levels = levels;
    value_ = weights.linear(source.name("v_proj"), width_, {{source.name("v_proj")}});
    if (is_cross_) {
      query_coding_.threshold = weights.threshold(source.name("q_threshold"));
      memory_coding_.threshold = weights.threshold("decoder.cross_attn.k_threshold");
      query_ = weights.selection(source.name("q_select"), {query}, /*panels=*/false);
      key_ = weights.selection(source.name("k_select"), {key}, /*panels=*/true);
      units_ = weights.selection_units(source.name("q_select"));
    } else {
      query_coding_.threshold = weights.threshold(source.name("threshold"));
      query_key_ = weights.selection(source.name("qk_select"), {query, key},
                                     /*panels=*/source.role == Role::encoder_self);
      units_ = weights.selection_units(source.name("qk_select"));
    }
  }

  kernels::ScoreKind kind() const {
    return distances_ ? kernels::ScoreKind::l1 : kernels::ScoreKind::dot;
  }

  RowsView value_rows(AttentionInput& x, Scratch& s) const {
    const Timed timed(s.observer, place_, Duty::value);
    float* values = s.values.at_least(x.rows() * shape_.attention_dim);
    apply(value_, x.linear(), values);
    return {.floats = values, .stride = shape_.attention_dim};
  }

  // Selected rows [rows, weights.out] in the layer's form.
  RowsView select_rows(const SelectionWeights& weights, const RowCodes& codes, Scratch& s) const {
    const size_t rows = codes.rows(), out = weights.out;
    if (form_ == Form::floats) {
      float* y = s.projected.at_least(rows * out);
      select(weights, codes, y);
      return {.floats = y, .stride = out};
    }
    int16_t* integers = s.selected.at_least(rows * out);
    select(weights, codes, integers);
    if (s.observer != nullptr) s.observer->selected(weights, rows, integers);
    if (form_ == Form::integers) return {.integers = integers, .stride = out};
    float* y = s.projected.at_least(rows * out);
    if (form_ == Form::scaled) {
      scale_rows(integers, rows * out, y);
    } else {
      // Integers of 16 bits are exact as floats, and so are sums of 256 of them: distances of heads
      // up to that width.
      std::copy_n(integers, rows * out, y);
    }
    return {.floats = y, .stride = out};
  }

  // Integers times the unit of their head, for rows of one or two times all heads.
  void scale_rows(const int16_t* integers, size_t size, float* y) const {
    const size_t n = shape_.head_dim();
    for (size_t first = 0; first < size; first += n) {
      const float unit = units_[first / n % shape_.heads];
      for (size_t i = first; i < first + n; ++i) y[i] = unit * static_cast<float>(integers[i]);
    }
  }

  size_t width_;
  bool distances_, is_cross_;
  Form form_ = Form::floats;
  SelectionWeights query_key_;    // Self-attention: [2·qk_dim]
  SelectionWeights query_, key_;  // Cross-attention
  Coding query_coding_, memory_coding_;
  const float* units_ = nullptr;  // [heads], in int8.
  std::vector<float> factors_;    // Of the fused kernel's scores, where units are left to it.
  Linear value_;
};

}  // namespace

MadeMechanism make_selected(const MechanismSource& source) {
  return std::make_unique<Selected>(source);
}

}  // namespace eatt
