#include "energy/counted_model.h"

#include <numeric>
#include <utility>

#include "text/pieces/pieces.h"

namespace eatt::energy::testing {
namespace {

// How far x may be from the runtime's: sums are in another order, and in int8 that may round a
// number to its neighbour.
float tolerance_of(Precision precision) { return precision == Precision::float32 ? 1e-4f : 5e-2f; }

constexpr Place kEncoder = {Stack::encoder, 0, SubLayer::none};
constexpr Place kDecoder = {Stack::decoder, 0, SubLayer::none};
constexpr Place kAllCrossAttentions = {Stack::decoder, 0, SubLayer::cross_attention};

Place feed_forward_place(Stack stack, size_t layer) {
  return {stack, layer + 1, SubLayer::feed_forward};
}

std::vector<size_t> numbers_from(size_t first, size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

CountedModel::CountedModel(const Bundle& bundle, Precision precision, size_t longest,
                           RecordedCodes& codes)
    : a_(bundle.architecture()),
      precision_(precision),
      shape_{a_.heads, a_.qk_head_dim(), a_.value_head_dim()},
      weights_(read_counted_weights(bundle, precision, longest)),
      codes_(codes) {}

size_t CountedModel::KeysAndValues::add_row() {
  keys.add_row();
  return values.add_row();
}

CountedModel::KeysAndValues CountedModel::make_rows(Mechanism mechanism, Stack stack) const {
  const bool caches = stack == Stack::decoder, bytes = precision_ == Precision::int8;
  const Data data = caches ? Data::caches : Data::activations;
  const Number floats = caches && bytes ? Number::fp16 : Number::fp32;
  const Number keys = bytes && mechanism == Mechanism::eatt ? Number::int16 : floats;
  return {KeptRows(data, keys, a_.qk_dim), KeptRows(data, floats, a_.attention_dim)};
}

// ---- the encoder -------------------------------------------------------------------------------

void CountedModel::start(const std::vector<SearchTask>& tasks) {
  self_.clear();
  cross_.clear();
  histories_.clear();
  for (const DecoderLayerWeights& layer : weights_.decoder) {
    self_.push_back(make_rows(layer.self.mechanism, Stack::decoder));
    cross_.push_back(make_rows(layer.cross.mechanism, Stack::decoder));
  }
  remember_source(encode(tasks));
}

Tensor<Fp32> CountedModel::embed_source(const std::vector<SearchTask>& tasks) {
  const Charge charge(kEncoder, Duty::embedding);
  size_t rows = 0;
  sentences_.clear();
  for (const SearchTask& task : tasks) {
    const size_t length = task.source.size() + 1;
    sentences_.push_back({rows, length, 0, numbers_from(rows, length)});
    rows += length;
  }
  auto x = activations(rows, a_.model_dim);
  for (size_t i = 0; i < tasks.size(); ++i) {
    std::vector<int32_t> pieces = tasks[i].source;
    pieces.push_back(kEndPiece);
    for (size_t p = 0; p < pieces.size(); ++p)
      embed(weights_.source_embedding, weights_.positions, pieces[p], p,
            sentences_[i].first_row + p, x);
  }
  return x;
}

Tensor<Fp32> CountedModel::encode(const std::vector<SearchTask>& tasks) {
  Tensor<Fp32> x = embed_source(tasks);
  for (size_t layer = 0; layer < weights_.encoder.size(); ++layer) {
    const auto& [self, ffn] = weights_.encoder[layer];
    KeysAndValues kept = make_rows(self.mechanism, Stack::encoder);
    for (size_t row = 0; row < x.rows(); ++row) kept.add_row();
    x = self_attention(layer, self, x, kept, numbers_from(0, x.rows()), sentences_);
    x = feed_forward(feed_forward_place(Stack::encoder, layer), ffn, x);
  }
  return weights_.encoder_norm ? norm_of(kEncoder, *weights_.encoder_norm, x) : std::move(x);
}

void CountedModel::remember_source(const Tensor<Fp32>& encoded) {
  std::optional<Tensor<Code>> codes;
  if (weights_.memory_threshold) {
    const Charge charge(kAllCrossAttentions, Duty::key);
    codes = testing::codes_of(encoded, *weights_.memory_threshold, a_.code_levels,
                              codes_.take(kAllCrossAttentions), tolerance_of(precision_));
  }
  const ProductInput input = input_of(kAllCrossAttentions, Duty::value, encoded);
  const std::vector<size_t> slots = numbers_from(0, encoded.rows());
  for (size_t layer = 0; layer < weights_.decoder.size(); ++layer) {
    const AttentionWeights& weights = weights_.decoder[layer].cross;
    const Place place = place_of(Role::cross, layer + 1);
    for (size_t row = 0; row < encoded.rows(); ++row) cross_[layer].add_row();
    {
      const Charge charge(place, Duty::key);
      make_keys(weights, input, codes, cross_[layer].keys, slots);
    }
    const Charge charge(place, Duty::value);
    product_to(weights.value, input, cross_[layer].values, slots);
  }
}

// ---- the decoder -------------------------------------------------------------------------------

Tensor<Fp32> CountedModel::step(std::span<const StepRow> rows,
                                std::span<const std::vector<int32_t>> columns) {
  const Tensor<Fp32> x = decode(rows);
  const ProductInput input = input_of(kDecoder, Duty::vocabulary, x);
  const Charge charge(kDecoder, Duty::vocabulary);
  return product_of_columns(weights_.vocabulary, input, columns);
}

// Gives each row the history of its parent and a slot for its new position.
std::vector<size_t> CountedModel::advance(std::span<const StepRow> rows) {
  const auto parents = std::exchange(histories_, {});
  std::vector<size_t> slots;
  for (const StepRow& row : rows) {
    histories_.push_back(row.parent < 0 ? std::vector<size_t>()
                                        : parents[static_cast<size_t>(row.parent)]);
    size_t slot = 0;  // The same in all layers.
    for (KeysAndValues& kept : self_) slot = kept.add_row();
    histories_.back().push_back(slot);
    slots.push_back(slot);
  }
  return slots;
}

Tensor<Fp32> CountedModel::decode(std::span<const StepRow> rows) {
  const std::vector<size_t> slots = advance(rows);
  const size_t position = histories_[0].size() - 1;
  auto x = activations(rows.size(), a_.model_dim);
  std::vector<SeeingRows> itself, source;
  for (size_t row = 0; row < rows.size(); ++row) {
    const Charge charge(kDecoder, Duty::embedding);
    embed(weights_.target_embedding, weights_.positions, rows[row].piece, position, row, x);
    itself.push_back({row, 1, position, histories_[row]});
    source.push_back({row, 1, position, sentences_[static_cast<size_t>(rows[row].sentence)].slots});
  }
  for (size_t layer = 0; layer < weights_.decoder.size(); ++layer) {
    const auto& [self, cross, ffn] = weights_.decoder[layer];
    x = self_attention(layer, self, x, self_[layer], slots, itself);
    x = cross_attention(layer, cross, x, source);
    x = feed_forward(feed_forward_place(Stack::decoder, layer), ffn, x);
  }
  return weights_.decoder_norm ? norm_of(kDecoder, *weights_.decoder_norm, x) : std::move(x);
}

// ---- sub-layers --------------------------------------------------------------------------------

template <class Change>
Tensor<Fp32> CountedModel::framed(const Place& place, const Norm& norm, const Tensor<Fp32>& x,
                                  const Change& change) const {
  const auto residual = [&](const Tensor<Fp32>& changed) {
    const Charge charge(place, Duty::residual);
    return added(x, changed);
  };
  if (a_.norm == NormPlacement::pre) return residual(change(norm_of(place, norm, x)));
  return norm_of(place, norm, residual(change(x)));
}

Tensor<Fp32> CountedModel::norm_of(const Place& place, const Norm& norm,
                                   const Tensor<Fp32>& x) const {
  const Charge charge(place, Duty::norm);
  return normed(x, norm, static_cast<float>(a_.norm_epsilon));
}

ProductInput CountedModel::input_of(const Place& place, Duty duty, const Tensor<Fp32>& x) const {
  const Charge charge(place, duty);
  ProductInput input{.x = x};
  if (precision_ == Precision::int8) input.rounded = rounded(x);
  return input;
}

Tensor<Fp32> CountedModel::self_attention(size_t layer, const AttentionWeights& weights,
                                          const Tensor<Fp32>& x, KeysAndValues& kept,
                                          std::span<const size_t> slots,
                                          std::span<const SeeingRows> seeing) {
  const Place place = place_of(weights.role, layer + 1);
  return framed(place, weights.norm, x, [&](const Tensor<Fp32>& rows) {
    const ProductInput input = input_of(place, Duty::value, rows);
    const auto codes = codes_of(layer, weights, rows);
    const Queries queries = [&] {
      const Charge charge(place, Duty::query);
      return make_queries(weights, input, codes);
    }();
    {
      const Charge charge(place, Duty::key);
      make_keys(weights, input, codes, kept.keys, slots);
    }
    {
      const Charge charge(place, Duty::value);
      product_to(weights.value, input, kept.values, slots);
    }
    return attend(place, weights, queries, kept, seeing);
  });
}

Tensor<Fp32> CountedModel::cross_attention(size_t layer, const AttentionWeights& weights,
                                           const Tensor<Fp32>& x,
                                           std::span<const SeeingRows> seeing) {
  const Place place = place_of(weights.role, layer + 1);
  return framed(place, weights.norm, x, [&](const Tensor<Fp32>& rows) {
    const ProductInput input =
        weights.query ? input_of(place, Duty::query, rows) : ProductInput{.x = rows};
    const auto codes = codes_of(layer, weights, rows);
    const Queries queries = [&] {
      const Charge charge(place, Duty::query);
      return make_queries(weights, input, codes);
    }();
    return attend(place, weights, queries, cross_[layer], seeing);
  });
}

std::optional<Tensor<Code>> CountedModel::codes_of(size_t layer, const AttentionWeights& weights,
                                                   const Tensor<Fp32>& x) {
  if (!weights.threshold) return std::nullopt;
  const Place place = place_of(weights.role, layer + 1);
  const Charge charge(place, Duty::query);
  return testing::codes_of(x, *weights.threshold, a_.code_levels, codes_.take(place),
                           tolerance_of(precision_));
}

Queries CountedModel::make_queries(const AttentionWeights& weights, const ProductInput& input,
                                   const std::optional<Tensor<Code>>& codes) const {
  if (weights.mechanism == Mechanism::randinit) return std::monostate();
  if (weights.mechanism == Mechanism::dense) return product(*weights.query, input, Relu::yes);
  if (weights.query) return product(*weights.query, input);
  if (precision_ == Precision::float32)
    return select<Fp32>(*weights.query_rows, *codes, a_.code_levels);
  Tensor<Int16> whole = select<Int16>(*weights.query_rows, *codes, a_.code_levels);
  if (weights.mechanism == Mechanism::eatt) return whole;
  return floating(whole, *weights.units);
}

void CountedModel::make_keys(const AttentionWeights& weights, const ProductInput& input,
                             const std::optional<Tensor<Code>>& codes, KeptRows& keys,
                             std::span<const size_t> slots) const {
  if (weights.key) {
    product_to(*weights.key, input, keys, slots);
  } else if (weights.key_rows && weights.mechanism == Mechanism::selection &&
             precision_ == Precision::int8) {
    floating_to(select<Int16>(*weights.key_rows, *codes, a_.code_levels), *weights.units, keys,
                slots);
  } else if (weights.key_rows) {
    select_to(*weights.key_rows, *codes, a_.code_levels, keys, slots);
  }
}

Tensor<Fp32> CountedModel::attend(const Place& place, const AttentionWeights& weights,
                                  const Queries& queries, const KeysAndValues& kept,
                                  std::span<const SeeingRows> seeing) const {
  std::vector<Tensor<Fp32>> scores;
  {
    const Charge charge(place, Duty::scores);
    const CountedScores score(weights, shape_, queries, kept.keys);
    for (const SeeingRows& rows : seeing) scores.push_back(score.of(rows));
  }
  const size_t all_rows = seeing.back().first_row + seeing.back().rows;
  auto mixed = activations(all_rows, a_.attention_dim);
  {
    const Charge charge(place, Duty::context);
    for (size_t i = 0; i < seeing.size(); ++i)
      mix(shape_, scores[i], kept.values, seeing[i], mixed);
  }
  const ProductInput input = input_of(place, Duty::output, mixed);
  const Charge charge(place, Duty::output);
  return product(weights.output, input);
}

Tensor<Fp32> CountedModel::feed_forward(const Place& place, const FeedForwardWeights& weights,
                                        const Tensor<Fp32>& x) const {
  return framed(place, weights.norm, x, [&](const Tensor<Fp32>& rows) {
    const Charge charge(place, Duty::ffn);
    const Tensor<Fp32> hidden = product(weights.first, input_of(place, Duty::ffn, rows), Relu::yes);
    return product(weights.second, input_of(place, Duty::ffn, hidden));
  });
}

}  // namespace eatt::energy::testing
