#include "trace/sentence_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "base/error.h"
#include "trace/recompute.h"

namespace eatt::trace {
namespace {

// To the last bit.
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

// Half of each row [rows, 2·width], from column `first` on.
std::vector<int16_t> columns(std::span<const int16_t> rows, size_t width, size_t first) {
  std::vector<int16_t> part;
  for (size_t begin = first; begin < rows.size(); begin += 2 * width) {
    part.insert(part.end(), &rows[begin], &rows[begin] + width);
  }
  return part;
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
  // [heads, query_len, key_len], −∞ where a query does not see a key.
  struct AllScores {
    size_t query_len = 0, key_len = 0;
    std::vector<float> scores;
  };

  const Recording::Codes& codes_of(CodePlace place, size_t layer) const {
    return recording_.codes.at({place, layer});
  }
  const Recording::Codes& memory_codes() const { return codes_of(CodePlace::cross_key, 0); }

  const Recording::Codes& query_codes(const PlainAttention& attention) const {
    const CodePlace place = attention.role == Role::encoder_self   ? CodePlace::encoder_self
                            : attention.role == Role::decoder_self ? CodePlace::decoder_self
                                                                   : CodePlace::cross_query;
    return codes_of(place, attention.layer);
  }

  // A tensor of floats [rows, width] that several steps share: all of them have the same bits.
  void link(const std::string& name, size_t width, const std::vector<float>& values) {
    const auto [known, is_new] = floats_.try_emplace(name, values);
    if (!is_new) return expect_same(name, known->second, values);
    list_.add(name, {values.size() / width, width}, values);
  }

  // With the norm before each sub-layer, the next residual is this one plus its change.
  void check_residuals() const {
    for (size_t i = 0; i + 1 < model_.sub_layers.size(); ++i) {
      const PlainSubLayer& sub_layer = model_.sub_layers[i];
      if (sub_layer.change.empty()) continue;
      std::vector<float> next = floats_.at(sub_layer.name + ".residual");
      const std::vector<float>& change = floats_.at(sub_layer.change + ".output");
      for (size_t k = 0; k < next.size(); ++k) next[k] += change[k];
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
    expect_same(name, binarised(recorded.values, threshold), recorded.codes);
    list_.add(name, {recorded.codes.size() / width_, width_}, recorded.codes);
  }

  void add_attention(const PlainAttention& attention) {
    const AllScores scores = gathered(recording_.scores.at(attention.packed));
    if (attention.query) {
      add_codes(attention.name + (attention.role == Role::cross ? ".q_codes" : ".codes"),
                attention.reads, query_codes(attention), attention.threshold);
      const auto [query, key] = add_queries_and_keys(attention);
      if (has_integer_scores(attention.packed->mechanism)) {
        add_distances(attention, query, key, scores);
      }
    }
    list_.add(attention.name + ".scores", {heads_, scores.query_len, scores.key_len},
              scores.scores);
  }

  std::pair<std::vector<int16_t>, std::vector<int16_t>> add_queries_and_keys(
      const PlainAttention& attention) {
    const auto& pair = std::get<SelectedPair>(attention.packed->scores);
    const bool cross = attention.role == Role::cross;
    const Recording::Codes& codes = query_codes(attention);
    const auto query = selected_sums(*attention.query, codes.codes);
    const auto key = selected_sums(*attention.key, cross ? memory_codes().codes : codes.codes);
    const auto recorded = [&](const SelectionWeights& weights) {
      return recording_.selections.at(&weights);
    };
    expect_same(attention.name + ".query", query,
                cross ? recorded(pair.query) : columns(recorded(pair.query_key), qk_, 0));
    expect_same(attention.name + ".key", key,
                cross ? recorded(pair.key) : columns(recorded(pair.query_key), qk_, qk_));
    list_.add(attention.name + ".query", {query.size() / qk_, qk_}, query);
    list_.add(attention.name + ".key", {key.size() / qk_, qk_}, key);
    return {query, key};
  }

  // Blocks of queries one after another; later ones may see more keys.
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
      // A decoder's query sees the positions up to its own.
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
  std::map<std::string, std::vector<float>> floats_;  // By name: what link() has seen.
  TensorList list_;
};

}  // namespace

TensorList sentence_tensors(const PlainModel& model, const Recording& recording) {
  return SentenceTensors(model, recording).build();
}

}  // namespace eatt::trace
