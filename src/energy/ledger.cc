#include "energy/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "energy/step_work.h"

namespace eatt::energy {
namespace {

class Counter {
 public:
  Counter(const Architecture& architecture, const Activity& activity, const StepWork& steps)
      : architecture_(architecture),
        activity_(activity),
        steps_(steps),
        model_dim_(architecture_.model_dim),
        qk_dim_(architecture_.qk_dim),
        value_dim_(architecture_.attention_dim),
        ffn_dim_(architecture_.ffn_dim),
        source_{activity_.source_rows, activity_.batches},
        target_{activity_.rows, activity_.steps} {}

  Ledger count() {
    encoder();
    decoder();
    return std::move(ledger_);
  }

 private:
  void add(const Place& place, Duty duty, const Work& work) { ledger_.add({place, duty}, work); }

  void encoder() {
    const Place outside{Stack::encoder};
    add(outside, Duty::embedding, steps_.embedding(source_));
    const Attending attending{source_, activity_.source_pairs, activity_.source_rows,
                              Data::activations};
    for (size_t layer = 1; layer <= architecture_.encoder_layers(); ++layer) {
      self_attention({Stack::encoder, layer, SubLayer::self_attention},
                     architecture_.encoder_self.layers[index(layer)], attending);
      feed_forward({Stack::encoder, layer, SubLayer::feed_forward}, source_);
    }
    if (architecture_.norm == NormPlacement::pre) add(outside, Duty::norm, steps_.norm(source_));
  }

  void decoder() {
    const Place outside{Stack::decoder};
    remember_source({Stack::decoder, 0, SubLayer::cross_attention});
    add(outside, Duty::embedding, steps_.embedding(target_));
    const Attending self{target_, activity_.self_pairs, activity_.self_pairs, Data::caches};
    for (size_t layer = 1; layer <= architecture_.decoder_layers(); ++layer) {
      self_attention({Stack::decoder, layer, SubLayer::self_attention},
                     architecture_.decoder_self.layers[index(layer)], self);
      cross_attention({Stack::decoder, layer, SubLayer::cross_attention},
                      architecture_.cross.layers[index(layer)]);
      feed_forward({Stack::decoder, layer, SubLayer::feed_forward}, target_);
    }
    if (architecture_.norm == NormPlacement::pre) add(outside, Duty::norm, steps_.norm(target_));
    add(outside, Duty::vocabulary, steps_.rounding(target_, model_dim_));
    add(outside, Duty::vocabulary,
        steps_.vocabulary(target_, activity_.columns, activity_.distinct_columns));
    add(outside, Duty::search, StepWork::search(activity_.search));
  }

  // The encoder's output, as all cross-attentions read it.
  void remember_source(const Place& place) {
    add(place, Duty::value, steps_.rounding(source_, model_dim_));
    if (std::ranges::any_of(architecture_.cross.layers, binarises))
      add(place, Duty::key, steps_.threshold(source_));
  }

  void self_attention(const Place& place, Mechanism mechanism, const Attending& attending) {
    const bool encoder = place.stack == Stack::encoder;
    const Rows& rows = attending.rows;
    add(place, Duty::value, steps_.rounding(rows, model_dim_));
    if (binarises(mechanism)) {
      const auto& codes =
          codes_of(encoder ? activity_.encoder_self : activity_.decoder_self, place, rows);
      add(place, Duty::query, steps_.threshold(rows));  // The keys use the same codes.
      add(place, Duty::query, steps_.selection(mechanism, rows, codes, Data::activations));
      add(place, Duty::key, steps_.selection(mechanism, rows, codes, attending.from));
    } else if (has_queries_and_keys(mechanism)) {
      add(place, Duty::query, steps_.queries(mechanism, rows));
      add(place, Duty::key, steps_.keys(mechanism, rows, attending.from));
    } else if (has_queries(mechanism)) {
      hidden_queries(place, rows);
    }
    add(place, Duty::value, steps_.values(rows, attending.from));
    attend(place, mechanism, attending);
  }

  void cross_attention(const Place& place, Mechanism mechanism) {
    if (binarises(mechanism)) {
      const auto& codes = codes_of(activity_.cross_query, place, target_);
      add(place, Duty::query, steps_.threshold(target_));
      add(place, Duty::query, steps_.selection(mechanism, target_, codes, Data::activations));
      check_codes(activity_.cross_key, place, source_);
      add(place, Duty::key,
          steps_.selection(mechanism, source_, activity_.cross_key, Data::caches));
    } else if (has_queries(mechanism)) {
      add(place, Duty::query, steps_.rounding(target_, model_dim_));
      if (has_queries_and_keys(mechanism)) {
        add(place, Duty::query, steps_.queries(mechanism, target_));
        add(place, Duty::key, steps_.keys(mechanism, source_, Data::caches));
      } else {
        hidden_queries(place, target_);
      }
    }
    add(place, Duty::value, steps_.values(source_, Data::caches));
    attend(place, mechanism, {target_, activity_.cross_pairs, activity_.cross_pairs, Data::caches});
  }

  void hidden_queries(const Place& place, const Rows& rows) {
    add(place, Duty::query, steps_.product(rows, model_dim_, qk_dim_, /*has_bias=*/false));
    add(place, Duty::query, steps_.relu(rows, qk_dim_));
  }

  // The last steps of every attention.
  void attend(const Place& place, Mechanism mechanism, const Attending& attending) {
    add(place, Duty::scores, steps_.scores(mechanism, attending));
    add(place, Duty::context, steps_.context(attending));
    add(place, Duty::output, steps_.rounding(attending.rows, value_dim_));
    add(place, Duty::output,
        steps_.product(attending.rows, value_dim_, model_dim_, /*has_bias=*/true));
    frame(place, attending.rows);
  }

  void feed_forward(const Place& place, const Rows& rows) {
    add(place, Duty::ffn, steps_.rounding(rows, model_dim_));
    add(place, Duty::ffn, steps_.product(rows, model_dim_, ffn_dim_, /*has_bias=*/true));
    add(place, Duty::ffn, steps_.relu(rows, ffn_dim_));
    add(place, Duty::ffn, steps_.rounding(rows, ffn_dim_));
    add(place, Duty::ffn, steps_.product(rows, ffn_dim_, model_dim_, /*has_bias=*/true));
    frame(place, rows);
  }

  // The norm of a sub-layer, before or after it, and its residual.
  void frame(const Place& place, const Rows& rows) {
    add(place, Duty::norm, steps_.norm(rows));
    add(place, Duty::residual, steps_.residual(rows));
  }

  static const CodeActivity& codes_of(const std::vector<CodeActivity>& layers, const Place& place,
                                      const Rows& rows) {
    static constexpr CodeActivity kNone;
    const CodeActivity& codes =
        index(place.layer) < layers.size() ? layers[index(place.layer)] : kNone;
    check_codes(codes, place, rows);
    return codes;
  }

  static void check_codes(const CodeActivity& codes, const Place& place, const Rows& rows) {
    if (codes.rows == rows.rows) return;
    throw UsageError(
        fmt::format("{}: {} rows were computed, but there are binary codes of {}; count a model "
                    "that binarizes only where the one that ran does",
                    to_text(place), rows.rows, codes.rows));
  }

  static size_t index(size_t layer) { return layer - 1; }

  const Architecture& architecture_;
  const Activity& activity_;
  const StepWork& steps_;
  uint64_t model_dim_, qk_dim_, value_dim_, ffn_dim_;
  Rows source_, target_;
  Ledger ledger_;
};

}  // namespace

Ledger count_operations(const Architecture& architecture, Precision precision,
                        const Activity& activity, DotScores dot_scores) {
  return Counter(architecture, activity, StepWork(architecture, precision, dot_scores)).count();
}

std::string to_text(const LedgerLine& line) {
  return fmt::format("{}, {}", to_text(line.place), name_of(line.duty));
}

void Ledger::add(const LedgerLine& line, const Work& work) {
  if (work != Work{}) lines_[line] += work;
}

Work Ledger::at(const LedgerLine& line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() ? Work{} : found->second;
}

std::vector<LedgerRow> Ledger::rows() const {
  std::vector<LedgerRow> rows;
  for (auto first = lines_.begin(); first != lines_.end();) {
    const auto last = std::find_if(first, lines_.end(), [&](const auto& line) {
      return line.first.place != first->first.place;
    });
    for (const DutyRow& duty : kDutyRows) {
      Work sum;
      for (auto at = first; at != last; ++at) {
        if (duty.contains(at->first)) sum += at->second;
      }
      if (sum != Work{}) rows.push_back({first->first.place, &duty, sum});
    }
    first = last;
  }
  return rows;
}

Work Ledger::of(Duty duty) const {
  Work sum;
  for (const auto& [line, work] : lines_) {
    if (line.duty == duty) sum += work;
  }
  return sum;
}

Work Ledger::of(const DutyRow& row) const {
  Work sum;
  for (const auto& [line, work] : lines_) {
    if (row.contains(line)) sum += work;
  }
  return sum;
}

Work Ledger::total() const {
  Work sum;
  for (const auto& [line, work] : lines_) sum += work;
  return sum;
}

Ledger& Ledger::operator+=(const Ledger& other) {
  for (const auto& [line, work] : other.lines_) add(line, work);
  return *this;
}

}  // namespace eatt::energy
