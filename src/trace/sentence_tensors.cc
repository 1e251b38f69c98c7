#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "base/error.h"
#include "runtime/attention/mechanism.h"
#include "trace/recompute.h"
#include "trace/tensors.h"

namespace eatt::trace {
namespace {

// Compares to the last bit.
template <class T>
void expect_same(const std::string& name, const std::vector<T>& recomputed,
                 const std::vector<T>& recorded) {
  expects(recomputed.size() == recorded.size(), name + ": as many numbers as were recorded");
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (std::memcmp(&recomputed[i], &recorded[i], sizeof(T)) == 0) continue;
    throw InternalError(fmt::format(
        "{}: number {} is {} by plain loops, but the model computed {}; the trace is not written",
        name, i, recomputed[i], recorded[i]));
  }
}

class SentenceTensors {
 public:
  SentenceTensors(const PlainModel& model, const Recording& recording)
      : model_(model),
        recording_(recording),
        heads_(model.model->architecture.heads),
        width_(model.model->architecture.model_dim),
        qk_(model.model->architecture.qk_dim) {}

  TensorList build() {
    for (const PlainSubLayer& sub_layer : model_.sub_layers) {
      link(sub_layer.name + ".residual", width_, recording_.residuals.at(sub_layer.norm));
    }
    for (const PlainProduct& product : model_.products) add_product(product);
    if (model_.model->architecture.norm == NormPlacement::pre) check_residuals();
    if (!model_.memory_threshold.empty()) {
      add_codes("decoder.cross_attn.k_codes", "encoder.output", memory_codes(),
                model_.memory_threshold);
    }
    for (const PlainAttention& attention : model_.attentions) add_attention(attention);
    return std::move(list_);
  }

 private:
  // [heads, query_len, key_len], −∞ where a query does not attend to a key.
  struct AllScores {
    size_t query_len = 0, key_len = 0;
    std::vector<float> scores;
  };

  const Recording::Codes& memory_codes() const {
    return recording_.codes.at({Stack::decoder, 0, SubLayer::cross_attention});
  }
  const Recording::Codes& query_codes(const PlainAttention& attention) const {
    return recording_.codes.at(attention.mechanism->place());
  }

  // A tensor of floats [rows, width] that several steps share; all must have the same bits.
  void link(const std::string& name, size_t width, const std::vector<float>& values) {
    const auto [known, is_new] = floats_.try_emplace(name, values);
    if (!is_new) return expect_same(name, known->second, values);
    list_.add(name, {values.size() / width, width}, values);
  }

  // With the norm before each sub-layer, the next residual is this one plus its delta.
  void check_residuals() const {
    for (size_t i = 0; i + 1 < model_.sub_layers.size(); ++i) {
      const PlainSubLayer& sub_layer = model_.sub_layers[i];
      if (sub_layer.delta.empty()) continue;
      std::vector<float> next = floats_.at(sub_layer.name + ".residual");
      const std::vector<float>& delta = floats_.at(sub_layer.delta + ".output");
      for (size_t k = 0; k < next.size(); ++k) next[k] += delta[k];
      const std::string name = model_.sub_layers[i + 1].name + ".residual";
      expect_same(name, next, floats_.at(name));
    }
  }

  void add_product(const PlainProduct& product) {
    const Recording::Product& recorded = recording_.products.at(product.packed);
    link(product.reads, product.in, recorded.values);
    const RoundedRows rounded = rounded_rows(recorded.values, product.in);
    expect_same(product.name + ".input", rounded.numbers, recorded.input);
    expect_same(product.name + ".input_scales", rounded.scales, recorded.input_scales);
    const size_t rows = recorded.input_scales.size(), out = product.out;
    const std::vector<int32_t> sums = product_sums(product, recorded.input);
    std::vector<float> output(rows * out);
    for (size_t i = 0; i < output.size(); ++i) {
      output[i] = product_output(product, i % out, sums[i], recorded.input_scales[i / out],
                                 recorded.activation);
    }
    expect_same(product.name + ".output", output, recorded.output);
    list_.add(product.name + ".input", {rows, product.in}, recorded.input);
    list_.add(product.name + ".input_scales", {rows}, recorded.input_scales);
    list_.add(product.name + ".sums", {rows, out}, sums);
    link(product.name + ".output", out, output);
  }

  void add_codes(const std::string& name, const std::string& reads,
                 const Recording::Codes& recorded, std::span<const float> threshold) {
    link(reads, width_, recorded.values);
    const size_t levels = model_.model->architecture.code_levels;
    expect_same(name, codes_of(recorded.values, threshold, levels), recorded.codes);
    const Shape shape = {recorded.codes.size() / width_, width_};
    if (levels > 0) {
      list_.add(name, shape, recorded.codes);
    } else {
      list_.add(name, shape, std::vector<uint8_t>(recorded.codes.begin(), recorded.codes.end()));
    }
  }

  void add_attention(const PlainAttention& attention) {
    const AllScores scores = gathered(recording_.scores.at(attention.mechanism));
    if (attention.query) {
      add_codes(attention.name + (attention.role == Role::cross ? ".q_codes" : ".codes"),
                attention.reads, query_codes(attention), attention.threshold);
      const auto [query, key] = add_queries_and_keys(attention);
      if (attention.scores_are_distances) add_distances(attention, query, key, scores);
    }
    list_.add(attention.name + ".scores", {heads_, scores.query_len, scores.key_len},
              scores.scores);
  }

  std::pair<std::vector<int16_t>, std::vector<int16_t>> add_queries_and_keys(
      const PlainAttention& attention) {
    const bool cross = attention.role == Role::cross;
    const Recording::Codes& codes = query_codes(attention);
    const auto query = selected_sums(*attention.query, codes.codes);
    const auto key = selected_sums(*attention.key, cross ? memory_codes().codes : codes.codes);
    expect_same(attention.name + ".query", query, recorded(attention.query->packed));
    expect_same(attention.name + ".key", key, recorded(attention.key->packed));
    list_.add(attention.name + ".query", {query.size() / qk_, qk_}, query);
    list_.add(attention.name + ".key", {key.size() / qk_, qk_}, key);
    return {query, key};
  }

  // [rows, qk_dim]: the queries or the keys of a recorded selection.
  std::vector<int16_t> recorded(const SelectionView& view) const {
    const auto& rows = recording_.selections.at(view.weights);
    std::vector<int16_t> part;
    for (size_t begin = view.first; begin < rows.size(); begin += view.weights->out) {
      part.insert(part.end(), &rows[begin], &rows[begin] + qk_);
    }
    return part;
  }

  // Blocks of queries one after another; later ones may have more keys.
  AllScores gathered(const Recording::Scores& recorded) const {
    AllScores all;
    for (const auto& block : recorded.queries) {
      all.query_len += block.query_len;
      all.key_len = std::max(all.key_len, block.key_len);
    }
    all.scores.assign(heads_ * all.query_len * all.key_len,
                      -std::numeric_limits<float>::infinity());
    size_t first = 0;
    for (const auto& block : recorded.queries) {
      for (size_t h = 0; h < heads_; ++h) {
        for (size_t i = 0; i < block.query_len; ++i) {
          std::copy_n(&block.scores[(h * block.query_len + i) * block.key_len], block.key_len,
                      &all.scores[(h * all.query_len + first + i) * all.key_len]);
        }
      }
      first += block.query_len;
    }
    return all;
  }

  void add_distances(const PlainAttention& attention, std::span<const int16_t> query,
                     std::span<const int16_t> key, const AllScores& scores) {
    const size_t n = qk_ / heads_, query_len = scores.query_len, key_len = scores.key_len;
    std::vector<int32_t> distances(scores.scores.size(), -1);
    std::vector<float> expected = scores.scores;
    for (size_t at = 0; at < distances.size(); ++at) {
      const size_t h = at / (query_len * key_len), i = at / key_len % query_len, j = at % key_len;
      // A decoder's query attends to the positions up to its own.
      if (attention.role == Role::decoder_self && j > i) continue;
      distances[at] = distance(query.subspan(i * qk_ + h * n, n), key.subspan(j * qk_ + h * n, n));
      expected[at] = distance_score(distances[at], attention.units[h]);
    }
    expect_same(attention.name + ".scores", expected, scores.scores);
    list_.add(attention.name + ".distances", {heads_, query_len, key_len}, distances);
  }

  const PlainModel& model_;
  const Recording& recording_;
  const size_t heads_, width_, qk_;
  std::map<std::string, std::vector<float>> floats_;  // By name: what link() was given.
  TensorList list_;
};

}  // namespace

TensorList sentence_tensors(const PlainModel& model, const Recording& recording) {
  return SentenceTensors(model, recording).build();
}

}  // namespace eatt::trace
