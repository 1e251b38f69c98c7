#include "kernels/checks/checked_kernels.h"
#include "kernels/rows/rows.h"

namespace eatt::kernels::checks {
namespace {

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

// Rows in two blocks of columns.
Results summaries() {
  const size_t width = kRowPart + kDim;
  const Floats x = random_floats(kRows * width, 1);
  std::vector<TopValue> best(kRows * kOut);
  std::vector<RowSummary> rows(kRows);
  for (size_t r = 0; r < kRows; ++r) {
    rows[r].capacity = kOut;
    rows[r].best = best.data() + r * kOut;
  }
  add_columns(x.data(), width, 0, kRowPart, rows.data(), kRows);
  add_columns(x.data() + kRowPart, width, kRowPart, kDim, rows.data(), kRows);
  Results results;
  for (const TopValue& one : best) results.add(one.value);
  for (const RowSummary& row : rows) results.add(row.log_sum());
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

}  // namespace

std::vector<CheckedKernel> row_checks() {
  return {
      {"largest values of a row", 0, largest_values},
      {"best and log-sums of rows in blocks", kSums, summaries},
      {"layer norm and its gradients", kSums, norms},
      {"softmax", kSums, softmax},
      {"residual and hidden units with dropout", kSums, residuals},
      {"cross-entropy and its gradients", kSums, cross_entropy},
      {"optimizer", kSums, optimizer},
  };
}

}  // namespace eatt::kernels::checks
