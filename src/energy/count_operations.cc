#include "energy/count_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "energy/step_work.h"

namespace eatt::energy {
namespace {

class Counter {
 public:
  Counter(const Architecture& architecture, Precision precision, const Activity& activity)
      : a_(architecture),
        x_(activity),
        steps_(architecture, precision),
        d_(static_cast<uint64_t>(a_.model_dim)),
        q_(static_cast<uint64_t>(a_.qk_dim)),
        v_(static_cast<uint64_t>(a_.attention_dim)),
        f_(static_cast<uint64_t>(a_.ffn_dim)),
        source_{x_.source_rows, x_.batches},
        target_{x_.rows, x_.steps} {}

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
    const Attending attending{source_, x_.source_pairs, x_.source_rows, /*kept=*/false};
    for (int layer = 1; layer <= a_.encoder_layers(); ++layer) {
      self_attention({Stack::encoder, layer, SubLayer::self_attention},
                     a_.encoder_self.layers[index(layer)], attending);
      feed_forward({Stack::encoder, layer, SubLayer::feed_forward}, source_);
    }
    if (a_.norm == NormPlacement::pre) add(outside, Duty::norm, steps_.norm(source_));
  }

  void decoder() {
    const Place outside{Stack::decoder};
    remember_source({Stack::decoder, 0, SubLayer::cross_attention});
    add(outside, Duty::embedding, steps_.embedding(target_));
    const Attending self{target_, x_.self_pairs, x_.self_pairs, /*kept=*/true};
    for (int layer = 1; layer <= a_.decoder_layers(); ++layer) {
      self_attention({Stack::decoder, layer, SubLayer::self_attention},
                     a_.decoder_self.layers[index(layer)], self);
      cross_attention({Stack::decoder, layer, SubLayer::cross_attention},
                      a_.cross.layers[index(layer)]);
      feed_forward({Stack::decoder, layer, SubLayer::feed_forward}, target_);
    }
    if (a_.norm == NormPlacement::pre) add(outside, Duty::norm, steps_.norm(target_));
    add(outside, Duty::vocabulary, steps_.rounding(target_, d_));
    add(outside, Duty::vocabulary, steps_.vocabulary(target_, x_.columns, x_.distinct_columns));
    add(outside, Duty::search, StepWork::search(x_.search));
  }

  // The encoder's output, as all cross-attentions read it.
  void remember_source(const Place& place) {
    add(place, Duty::value, steps_.rounding(source_, d_));
    if (std::ranges::any_of(a_.cross.layers, binarises))
      add(place, Duty::cross_key, steps_.threshold(source_));
  }

  void self_attention(const Place& place, Mechanism mechanism, const Attending& attending) {
    const bool encoder = place.stack == Stack::encoder;
    const Duty making = encoder ? Duty::encoder_self : Duty::decoder_self;
    const Rows& rows = attending.rows;
    add(place, Duty::value, steps_.rounding(rows, d_));
    if (binarises(mechanism)) {
      const auto& codes = codes_of(encoder ? x_.encoder_self : x_.decoder_self, place, rows);
      add(place, making, steps_.threshold(rows));
      add(place, making, steps_.selection(mechanism, rows, codes, /*kept=*/false));
      add(place, making, steps_.selection(mechanism, rows, codes, attending.kept));
    } else if (has_queries_and_keys(mechanism)) {
      add(place, making, steps_.product(rows, d_, q_, /*has_bias=*/true));
      add(place, making, kept_or_not(rows, q_, attending.kept));
    } else if (mechanism == Mechanism::dense) {
      hidden_queries(place, making, rows);
    }
    add(place, Duty::value, kept_or_not(rows, v_, attending.kept));
    attend(place, mechanism, attending);
  }

  void cross_attention(const Place& place, Mechanism mechanism) {
    if (binarises(mechanism)) {
      const auto& codes = codes_of(x_.cross_query, place, target_);
      add(place, Duty::cross_query, steps_.threshold(target_));
      add(place, Duty::cross_query, steps_.selection(mechanism, target_, codes, /*kept=*/false));
      check_codes(x_.cross_key, place, source_);
      add(place, Duty::cross_key,
          steps_.selection(mechanism, source_, x_.cross_key, /*kept=*/true));
    } else if (mechanism != Mechanism::randinit) {
      add(place, Duty::cross_query, steps_.rounding(target_, d_));
      if (mechanism == Mechanism::dense) {
        hidden_queries(place, Duty::cross_query, target_);
      } else {
        add(place, Duty::cross_query, steps_.product(target_, d_, q_, /*has_bias=*/true));
        add(place, Duty::cross_key, steps_.kept_product(source_, q_));
      }
    }
    add(place, Duty::value, steps_.kept_product(source_, v_));
    attend(place, mechanism, {target_, x_.cross_pairs, x_.cross_pairs, /*kept=*/true});
  }

  void hidden_queries(const Place& place, Duty duty, const Rows& rows) {
    add(place, duty, steps_.product(rows, d_, q_, /*has_bias=*/false));
    add(place, duty, steps_.relu(rows, q_));
  }

  // What every attention ends with.
  void attend(const Place& place, Mechanism mechanism, const Attending& attending) {
    add(place, Duty::scores, steps_.scores(mechanism, attending));
    add(place, Duty::context, steps_.context(attending));
    add(place, Duty::output, steps_.rounding(attending.rows, v_));
    add(place, Duty::output, steps_.product(attending.rows, v_, d_, /*has_bias=*/true));
    frame(place, attending.rows);
  }

  void feed_forward(const Place& place, const Rows& rows) {
    add(place, Duty::ffn, steps_.rounding(rows, d_));
    add(place, Duty::ffn, steps_.product(rows, d_, f_, /*has_bias=*/true));
    add(place, Duty::ffn, steps_.relu(rows, f_));
    add(place, Duty::ffn, steps_.rounding(rows, f_));
    add(place, Duty::ffn, steps_.product(rows, f_, d_, /*has_bias=*/true));
    frame(place, rows);
  }

  // The norm of a sub-layer, before or after it, and its residual.
  void frame(const Place& place, const Rows& rows) {
    add(place, Duty::norm, steps_.norm(rows));
    add(place, Duty::residual, steps_.residual(rows));
  }

  Work kept_or_not(const Rows& rows, uint64_t out, bool kept) const {
    return kept ? steps_.kept_product(rows, out) : steps_.product(rows, d_, out, /*has_bias=*/true);
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
    throw UsageError(fmt::format(
        "{} layer {}, {}: {} rows were computed, but there are binary codes of {}; count a model "
        "that binarises only where the one that ran does",
        name_of(place.stack), place.layer, name_of(place.sub_layer), rows.rows, codes.rows));
  }

  static size_t index(int layer) { return static_cast<size_t>(layer - 1); }

  const Architecture& a_;
  const Activity& x_;
  StepWork steps_;
  uint64_t d_, q_, v_, f_;
  Rows source_, target_;
  Ledger ledger_;
};

}  // namespace

Ledger count_operations(const Architecture& architecture, Precision precision,
                        const Activity& activity) {
  return Counter(architecture, precision, activity).count();
}

}  // namespace eatt::energy
