#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/checks/checked_kernels.h"

namespace eatt::kernels::checks {
namespace {

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

}  // namespace

std::vector<CheckedKernel> attention_checks() {
  return {
      {"scores, dot", kSums, [] { return pairwise(ScoreKind::dot); }},
      {"scores, L1", kSums, [] { return pairwise(ScoreKind::l1); }},
      {"gradients of L1 scores", kSums, l1_gradients},
      {"attention and its gradients, dot", kSums, [] { return attention(ScoreKind::dot); }},
      {"attention and its gradients, L1", kSums, [] { return attention(ScoreKind::l1); }},
      {"attention of a row, dot", kSums, [] { return row_attention(ScoreKind::dot); }},
      {"attention of a row, L1", kSums, [] { return row_attention(ScoreKind::l1); }},
      {"L1 scores of a row of int16", 0, row_distances},
  };
}

}  // namespace eatt::kernels::checks
