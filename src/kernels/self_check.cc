#include "kernels/self_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "kernels/attention/attention.h"
#include "kernels/isa.h"
#include "kernels/products/products.h"
#include "kernels/rows/rows.h"
#include "kernels/selection/selection.h"
#include "kernels/selection/selection_codes.h"
#include "kernels/selection/selection_int8.h"
#include "kernels/selection/signed_codes.h"

namespace eatt::kernels {
namespace {

// Not a multiple of any vector's size.
constexpr size_t kRows = 19, kKeys = 37, kDim = 43, kOut = 75;
constexpr double kSums = 2e-5;  // Tolerance for sums of some dozen floats in another order.

using Floats = std::vector<float>;

Floats random_floats(size_t size, uint64_t seed) {
  Random random(seed);
  Floats values(size);
  for (float& x : values) x = static_cast<float>(4 * random.uniform() - 2);
  return values;
}

template <typename T>
std::vector<T> random_integers(size_t size, uint64_t seed, int64_t lowest, uint64_t count) {
  Random random(seed);
  std::vector<T> values(size);
  for (T& x : values) x = static_cast<T>(lowest + static_cast<int64_t>(random.below(count)));
  return values;
}

// All results of a kernel, whatever their type.
class Results {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    for (const T value : values) values_.push_back(static_cast<double>(value));
  }
  void add(double value) { values_.push_back(value); }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

Results pairwise(ScoreKind kind) {
  const Floats q = random_floats(kRows * kDim, 1), k = random_floats(kKeys * kDim, 2);
  Floats scores(kRows * kKeys), scratch(pairwise_scores_scratch(kKeys, kDim));
  pairwise_scores({kind, kDim, 0.5f}, {q.data(), kRows, kDim}, {k.data(), kKeys, kDim},
                  scores.data(), kKeys, scratch.data());
  Results results;
  results.add(scores);
  return results;
}

Results l1_gradients() {
  Floats q = random_floats(kRows * kDim, 1);
  const Floats k = random_floats(kKeys * kDim, 2), g = random_floats(kRows * kKeys, 3);
  std::copy_n(k.begin(), kDim, q.begin());  // A row of ties.
  Floats dq(kRows * kDim), dk(kKeys * kDim), scratch(l1_score_gradients_scratch(kKeys, kDim));
  l1_score_gradients({ScoreKind::l1, kDim}, {q.data(), kRows, kDim}, {k.data(), kKeys, kDim},
                     g.data(), kKeys, dq.data(), dk.data(), scratch.data());
  Results results;
  results.add(dq);
  results.add(dk);
  return results;
}

Results attention(ScoreKind kind) {
  const int64_t lengths[] = {kKeys, 20};
  const Attention a = {.kind = kind,
                       .batch = 2,
                       .heads = 2,
                       .query_len = kKeys,
                       .key_len = kKeys,
                       .head_dim = kDim,
                       .value_dim = kDim,
                       .factor = 0.15f,
                       .key_lengths = lengths,
                       .causal = true,
                       .drops = true,
                       .dropout = {dropout_rate(0.2), 5}};
  const size_t size = a.batch * a.key_len * a.heads * kDim;
  const Floats q = random_floats(size, 1), k = random_floats(size, 2), v = random_floats(size, 3);
  const Floats d_out = random_floats(size, 4);
  Floats out(size), dq(size), dk(size), dv(size), log_sums(a.head_count() * kKeys);
  Floats weights(a.head_count() * kKeys * kKeys);
  Floats scratch(std::max(attention_forward_scratch(a), attention_backward_scratch(a)));
  const auto rows = [&](auto* data) {
    return HeadRows<std::remove_pointer_t<decltype(data)>>{data, a.key_len * a.heads * kDim,
                                                           a.heads * kDim, kDim};
  };
  attention_forward(a,
                    {rows(q.data()), rows(k.data()), rows(v.data()), rows(out.data()),
                     log_sums.data(), weights.data()},
                    0, a.head_count(), scratch.data());
  const auto kept = [&](const Floats& x) { return rows(x.data()); };
  attention_backward(a,
                     {rows(q.data()), rows(k.data()), rows(v.data()), kept(out), rows(d_out.data()),
                      log_sums.data(), rows(dq.data()), rows(dk.data()), rows(dv.data())},
                     0, a.head_count(), scratch.data());
  Results results;
  for (const Floats* x : {&out, &weights, &dq, &dk, &dv}) results.add(*x);
  return results;
}

// Codes of [kRows, kDim] and the memory of their lists.
struct Codes {
  Codes() : x(random_floats(kRows * kDim, 1)) {
    const float threshold = 0.7f;
    bits.resize(kRows * code_words(kDim));
    ones = selection_codes(x.data(), kDim, kRows, kDim, {&threshold}, bits.data());
    transposed.resize(kDim * code_words(kRows));
    transpose_codes(bits.data(), kRows, kDim, transposed.data());
    by_row = lists(bits, kRows, kDim, row_positions, row_counts);
    by_feature = lists(transposed, kDim, kRows, feature_positions, feature_counts);
  }
  static CodeLists lists(const std::vector<uint64_t>& from, size_t rows, size_t dim,
                         std::vector<uint8_t>& positions, std::vector<uint8_t>& counts) {
    positions.resize(code_positions_size(rows, dim));
    counts.resize(code_counts_size(rows, dim));
    return code_lists(from.data(), rows, dim, positions.data(), counts.data());
  }

  Floats x;
  size_t ones;
  std::vector<uint64_t> bits, transposed;
  std::vector<uint8_t> row_positions, row_counts, feature_positions, feature_counts;
  CodeLists by_row, by_feature;
};

Results codes() {
  const Codes made;
  Floats values(kRows * kDim);
  codes_to_floats(made.bits.data(), kRows, kDim, values.data(), kDim);
  Results results;
  results.add(static_cast<double>(made.ones));
  results.add(values);
  results.add(made.row_counts);
  results.add(made.feature_counts);
  return results;
}

Results selection() {
  const Codes made;
  const Floats weight = random_floats(kOut * kDim, 2), bias = random_floats(kOut, 3);
  Floats panels(selection_panels_size(kDim, kOut)), rows(kDim * kOut);
  Floats by_panels(kRows * kOut), by_rows(kRows * kOut);
  pack_selection_panels(weight.data(), kDim, kOut, panels.data());
  pack_selection_rows(weight.data(), kDim, kOut, rows.data());
  select_from_panels(made.by_row, panels.data(), kOut, bias.data(), by_panels.data(), kOut);
  select_from_rows(made.by_row, rows.data(), kOut, bias.data(), by_rows.data(), kOut);
  Floats d_weight(kOut * kDim), sums(kOut), scratch(selection_weight_gradient_scratch(kDim));
  selection_weight_gradient(made.by_feature, by_rows.data(), kOut, kOut, d_weight.data(),
                            scratch.data());
  column_sums(by_rows.data(), kOut, kRows, kOut, sums.data());
  Results results;
  for (const Floats* x : {&by_panels, &by_rows, &d_weight, &sums}) results.add(*x);
  return results;
}

// Sums that are subtracted, as signed codes do, and the codes themselves.
Results signed_selection() {
  const Codes made;
  const float threshold = 0.1f;
  const SignedCoding coding{{&threshold}, /*levels=*/6, /*unit=*/0.2f};
  std::vector<uint64_t> planes(code_planes(coding.levels) * kRows * code_words(kDim));
  Floats values(kRows * kDim), gradient(kRows * kDim), sums(kRows * kOut, 1.0f);
  signed_code_planes(made.x.data(), kDim, kRows, kDim, coding.threshold, coding.levels,
                     planes.data());
  Results results;
  for (const uint64_t word : planes) results.add(static_cast<double>(std::popcount(word)));
  signed_code_values(made.x.data(), kRows, kDim, coding, values.data());
  signed_code_gradient(made.x.data(), values.data(), kRows, kDim, coding, 1.0f, gradient.data());
  const Floats weight = random_floats(kOut * kDim, 2);
  Floats rows(kDim * kOut);
  pack_selection_rows(weight.data(), kDim, kOut, rows.data());
  select_from_rows(made.by_row, rows.data(), kOut, nullptr, sums.data(), kOut, Joining::subtract);
  for (const Floats* x : {&values, &gradient, &sums}) results.add(*x);
  return results;
}

Results selection_of_bytes() {
  const Codes made;
  const auto bias = random_integers<int16_t>(kOut, 3, -500, 1001);
  Results results;
  for (const bool seven_bits : {false, true}) {
    const auto weight = seven_bits ? random_integers<int8_t>(kOut * kDim, 2, -64, 128)
                                   : random_integers<int8_t>(kOut * kDim, 2, -127, 255);
    for (const Int8Layout layout : {Int8Layout::panels, Int8Layout::rows}) {
      std::vector<uint8_t> packed(selection_int8_size(kDim, kOut));
      std::vector<int16_t> sums(kRows * kOut);
      pack_selection_int8(weight.data(), kDim, kOut, {layout, seven_bits}, packed.data());
      select_int8(made.by_row, packed.data(), {layout, seven_bits}, kOut, bias.data(), sums.data(),
                  kOut);
      results.add(sums);
    }
  }
  return results;
}

Results float_products() {
  const Floats x = random_floats(kRows * kDim, 1), weight = random_floats(kOut * kDim, 2);
  const Floats bias = random_floats(kOut, 3);
  // Panels need aligned memory.
  constexpr size_t kPadding = 64 / sizeof(float);
  Floats memory(float_panels_size(kDim, kOut) + kPadding), y(kRows * kOut);
  float* panels =
      memory.data() + kPadding - reinterpret_cast<uintptr_t>(memory.data()) % 64 / sizeof(float);
  pack_float_panels(weight.data(), kDim, kOut, panels);
  Results results;
  for (const size_t rows : {size_t{1}, kRows}) {
    float_product({kDim, kOut, panels, bias.data()}, x.data(), kDim, rows, {y.data(), kOut});
    results.add(y);
  }
  return results;
}

Results int8_products() {
  const Floats x = random_floats(kRows * kDim, 1), weight = random_floats(kOut * kDim, 2);
  const Floats bias = random_floats(kOut, 3);
  std::vector<int8_t> quantized(kOut * kDim), panels(int8_panels_size(kDim, kOut));
  std::vector<int32_t> sums(int8_padded_columns(kOut));
  std::vector<uint8_t> values(quantized_rows_size(kRows, kDim));
  Floats scales(kOut), row_scales(kRows), y(kRows * kOut);
  quantize_weights(weight.data(), kDim, kOut, quantized.data(), scales.data());
  pack_int8_panels(quantized.data(), kDim, kOut, panels.data(), sums.data());
  const Int8Matrix matrix = {kDim, kOut, panels.data(), sums.data(), scales.data(), bias.data()};
  Results results;
  for (const size_t rows : {size_t{1}, kRows}) {
    int8_product(matrix,
                 quantize_rows(x.data(), kDim, rows, kDim, values.data(), row_scales.data()),
                 {y.data(), kOut});
    results.add(y);
  }
  return results;
}

Results integer_distances() {
  const auto q16 = random_integers<int16_t>(kRows * kDim, 1, -32768, 65536);
  const auto k16 = random_integers<int16_t>(kKeys * kDim, 2, -32768, 65536);
  const auto q8 = random_integers<uint8_t>(kRows * kDim, 3, 0, 256);
  const auto k8 = random_integers<uint8_t>(kKeys * kDim, 4, 0, 256);
  std::vector<uint8_t> packed(
      std::max(packed_keys_int16_size(kKeys, kDim), packed_keys_uint8_size(kKeys, kDim)));
  std::vector<int32_t> wide(kRows * kKeys), narrow(kRows * kKeys);
  pack_keys_int16({k16.data(), kKeys, kDim}, kDim, packed.data());
  l1_distances_int16({q16.data(), kRows, kDim}, packed.data(), kKeys, kDim, wide.data(), kKeys);
  pack_keys_uint8({k8.data(), kKeys, kDim}, kDim, packed.data());
  l1_distances_uint8({q8.data(), kRows, kDim}, packed.data(), kKeys, kDim, narrow.data(), kKeys);
  Results results;
  results.add(wide);
  results.add(narrow);
  return results;
}

// Attention of one position, its keys and values as floats and as halves.
Results row_attention(ScoreKind kind) {
  constexpr size_t kHeads = 2, kWidth = kHeads * kDim;
  const Floats query = random_floats(kWidth, 1), rows = random_floats(kKeys * kWidth, 2);
  const Floats weights = random_floats(kHeads * kKeys, 3);
  std::vector<Half> halves(rows.size());
  floats_to_halves(rows.data(), rows.size(), halves.data());
  std::vector<const float*> float_rows(kKeys);
  std::vector<const Half*> half_rows(kKeys);
  for (size_t j = 0; j < kKeys; ++j) {
    float_rows[j] = rows.data() + j * kWidth;
    half_rows[j] = halves.data() + j * kWidth;
  }
  Results results;
  results.add(halves);
  const auto run = [&](const auto& pointers) {
    Floats scores(kHeads * kKeys), mixed(kWidth);
    row_scores({kHeads, kDim, kKeys}, kind, 0.15f, query.data(), pointers.data(), scores.data());
    mix_value_rows({kHeads, kDim, kKeys}, weights.data(), pointers.data(), mixed.data());
    results.add(scores);
    results.add(mixed);
  };
  run(float_rows);
  run(half_rows);
  return results;
}

Results row_distances() {
  const auto query = random_integers<int16_t>(kDim, 1, -32768, 65536);
  const auto rows = random_integers<int16_t>(kKeys * kDim, 2, -32768, 65536);
  std::vector<const int16_t*> keys(kKeys);
  for (size_t j = 0; j < kKeys; ++j) keys[j] = rows.data() + j * kDim;
  const float factor = 0.25f;
  Floats scores(kKeys);
  row_l1_scores({1, kDim, kKeys}, &factor, query.data(), keys.data(), scores.data());
  Results results;
  results.add(scores);
  return results;
}

Results largest_values() {
  const Floats x = random_floats(kRows * kDim, 1);
  std::vector<TopValue> top(kOut);
  Results results;
  results.add(static_cast<double>(top_values(x.data(), x.size(), kOut, top.data())));
  for (const TopValue& one : top) {
    results.add(one.value);
    results.add(one.index);
  }
  return results;
}

Results surrogate() {
  const Floats x = random_floats(kRows * kDim, 1), z = random_floats(kRows * kDim, 2);
  const Floats thresholds = random_floats(kDim, 3);
  Floats dx(kRows * kDim);
  Results results;
  for (const bool per_feature : {false, true}) {
    surrogate_gradient(x.data(), z.data(), kRows, kDim, {thresholds.data(), per_feature}, 1.0f,
                       dx.data());
    results.add(dx);
  }
  return results;
}

Results norms() {
  const Floats x = random_floats(kRows * kDim, 1), gain = random_floats(kDim, 2);
  const Floats bias = random_floats(kDim, 3), incoming = random_floats(kRows * kDim, 4);
  Floats out(kRows * kDim), mean(kRows), inverse(kRows), dx(kRows * kDim), dg(kDim), db(kDim);
  const LayerNormRows rows = {x.data(), kRows, kDim, gain.data(), bias.data(), 1e-5f};
  layer_norm(rows, out.data(), {mean.data(), inverse.data()});
  layer_norm_backward(rows, {mean.data(), inverse.data()}, incoming.data(),
                      {dx.data(), dg.data(), db.data()});
  Results results;
  for (const Floats* y : {&out, &dx, &dg, &db}) results.add(*y);
  return results;
}

Results softmax() {
  const Floats x = random_floats(kRows * kKeys, 1);
  Floats out(kRows * kKeys), sums(kRows);
  softmax_rows(x.data(), kRows, kKeys, out.data());
  log_sum_exp_rows(x.data(), kRows, kKeys, sums.data());
  Results results;
  results.add(out);
  results.add(sums);
  return results;
}

Results residuals() {
  const Floats x = random_floats(kRows * kDim, 1), change = random_floats(kRows * kDim, 2);
  const Floats bias = random_floats(kDim, 3);
  const Dropout dropout = {dropout_rate(0.3), 9};
  Floats added(kRows * kDim), hidden = x, gradient(kRows * kDim), sums(kDim), dropped(x.size());
  drop(x.data(), x.size(), dropout, 0, dropped.data());
  add_dropped(x.data(), change.data(), x.size(), dropout, 0, added.data());
  const HiddenRows rows = {kRows, kDim, bias.data(), &dropout, 0};
  bias_relu_drop(rows, hidden.data());
  bias_relu_drop_backward(rows, hidden.data(), change.data(), gradient.data(), sums.data());
  Results results;
  for (const Floats* y : {&added, &hidden, &gradient, &sums, &dropped}) results.add(*y);
  return results;
}

Results cross_entropy() {
  const Floats logits = random_floats(kRows * kOut, 1);
  const auto labels = random_integers<int64_t>(kRows, 2, 0, kOut);
  std::vector<RowLoss> losses(kRows);
  Floats log_sums(kRows), gradient(kRows * kOut);
  const LabelledLogits rows = {logits.data(), labels.data(), kRows, kOut, 0.1};
  smoothed_cross_entropy(rows, losses.data(), log_sums.data());
  smoothed_cross_entropy_backward(rows, log_sums.data(), 0.5f, gradient.data());
  Results results;
  for (const RowLoss& loss : losses) results.add(loss.smoothed);
  results.add(gradient);
  return results;
}

Results optimizer() {
  const Floats gradients = random_floats(kRows * kDim, 1);
  Floats first = random_floats(kRows * kDim, 2), second(kRows * kDim, 0.5f);
  Floats values = random_floats(kRows * kDim, 3), sum = values;
  Results results;
  results.add(add_row(gradients.data(), sum.size(), sum.data()));
  results.add(squared_norm(gradients.data(), gradients.size()));
  adam_update({0.5f, 0.9f, 0.1f, 0.98f, 0.02f, 1e-9f, 1e-3f, 1.5f}, gradients.data(), values.size(),
              {first.data(), second.data(), values.data()});
  for (const Floats* x : {&sum, &first, &second, &values}) results.add(*x);
  return results;
}

double largest_difference(const std::vector<double>& ours, const std::vector<double>& scalar) {
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double difference = std::abs(ours[i] - scalar[i]) / (1 + std::abs(scalar[i]));
    if (!(difference <= largest)) largest = difference;  // Takes NaN, and keeps it.
    if (std::isnan(largest)) break;
  }
  return largest;
}

}  // namespace

std::vector<KernelCheck> check_kernels() {
  check_forced_isa();
  struct Kernel {
    std::string name;
    double tolerance;
    std::function<Results()> run;
  };
  const std::vector<Kernel> all = {
      {"scores, dot", kSums, [] { return pairwise(ScoreKind::dot); }},
      {"scores, L1", kSums, [] { return pairwise(ScoreKind::l1); }},
      {"gradients of L1 scores", kSums, l1_gradients},
      {"attention and its gradients, dot", kSums, [] { return attention(ScoreKind::dot); }},
      {"attention and its gradients, L1", kSums, [] { return attention(ScoreKind::l1); }},
      {"binary codes", 0, codes},
      {"selected rows and their gradients", kSums, selection},
      {"signed codes and subtracted rows", kSums, signed_selection},
      {"selected rows of int8", 0, selection_of_bytes},
      {"products of floats", kSums, float_products},
      {"products of int8", 0, int8_products},
      {"L1 distances of int16 and uint8", 0, integer_distances},
      {"attention of a row, dot", kSums, [] { return row_attention(ScoreKind::dot); }},
      {"attention of a row, L1", kSums, [] { return row_attention(ScoreKind::l1); }},
      {"L1 scores of a row of int16", 0, row_distances},
      {"largest values of a row", 0, largest_values},
      {"gradient through codes", kSums, surrogate},
      {"layer norm and its gradients", kSums, norms},
      {"softmax", kSums, softmax},
      {"residual and hidden units with dropout", kSums, residuals},
      {"cross-entropy and its gradients", kSums, cross_entropy},
      {"optimizer", kSums, optimizer},
  };
  std::vector<KernelCheck> checks;
  for (const Kernel& kernel : all) {
    const Results ours = kernel.run();
    const ForcedIsa scalar(supported_isas().back());
    checks.push_back(
        {kernel.name, largest_difference(ours.values(), kernel.run().values()), kernel.tolerance});
  }
  return checks;
}

}  // namespace eatt::kernels
