#include <gmock/gmock.h>

#include <cmath>

#include "kernels/attention/attention.h"
#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

// The definition, in double.
double score(ScoreKind kind, const float* q, const float* k, size_t dim) {
  double sum = 0;
  for (size_t f = 0; f < dim; ++f) {
    sum += kind == ScoreKind::dot ? static_cast<double>(q[f]) * k[f]
                                  : -std::abs(static_cast<double>(q[f]) - k[f]);
  }
  return sum;
}

class Scores : public ::testing::TestWithParam<ScoreKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Scores, ::testing::Values(ScoreKind::dot, ScoreKind::l1),
                         [](const auto& kind) {
                           return kind.param == ScoreKind::dot ? "Dot" : "L1";
                         });

void expect_scores(ScoreKind kind, size_t queries, size_t keys, size_t dim, size_t extra_stride) {
  const size_t stride = dim + extra_stride, out_stride = keys + extra_stride;
  const RandomRows q(queries * stride, 1), k(keys * stride, 2);
  std::vector<float> scores(queries * out_stride, 7.0f);
  std::vector<float> scratch(pairwise_scores_scratch(keys, dim));
  pairwise_scores({kind, dim, 0.25f}, {q.data(), queries, stride}, {k.data(), keys, stride},
                  scores.data(), out_stride, scratch.data());
  for (size_t i = 0; i < queries; ++i) {
    for (size_t j = 0; j < out_stride; ++j) {
      const double expected =
          j < keys ? 0.25 * score(kind, q.data() + i * stride, k.data() + j * stride, dim) : 7.0;
      // Sums of `dim` floats of size about 1.
      ASSERT_NEAR(scores[i * out_stride + j], expected, 1e-6 * static_cast<double>(dim + 1))
          << "query " << i << " of " << queries << ", key " << j << " of " << keys << ", dim "
          << dim;
    }
  }
}

TEST_P(Scores, EqualTheDefinitionForAllSizes) {
  on_each_isa([&] {
    for (size_t keys = 0; keys <= 33; ++keys) expect_scores(GetParam(), 5, keys, 7, keys % 3);
    for (size_t queries = 0; queries <= 17; ++queries) expect_scores(GetParam(), queries, 9, 16, 1);
    for (size_t dim = 0; dim <= 33; ++dim) expect_scores(GetParam(), 9, 18, dim, dim % 2);
    expect_scores(GetParam(), 19, 70, 64, 0);
  });
}

// Gradient of Σ g·score by the definition; where q = k the derivative is 0.
void expect_gradients(size_t queries, size_t keys, size_t dim, bool with_ties) {
  RandomRows q(queries * dim, 3), k(keys * dim, 4);
  const RandomRows g(queries * keys, 5);
  if (with_ties) {
    for (float& x : q.values()) x = std::round(x);
    for (float& x : k.values()) x = std::round(x);
  }
  std::vector<float> dq(queries * dim, 9.0f), dk(keys * dim, 9.0f);
  std::vector<float> scratch(l1_score_gradients_scratch(keys, dim));
  l1_score_gradients({ScoreKind::l1, dim, 0.5f}, {q.data(), queries, dim}, {k.data(), keys, dim},
                     g.data(), keys, dq.data(), dk.data(), scratch.data());
  const auto sign = [](float x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
  for (size_t f = 0; f < dim; ++f) {
    for (size_t i = 0; i < queries; ++i) {
      double expected = 0;
      for (size_t j = 0; j < keys; ++j)
        expected -=
            0.5 * g.data()[i * keys + j] * sign(q.data()[i * dim + f] - k.data()[j * dim + f]);
      // Sums of `keys` numbers of size about 1, twice.
      ASSERT_NEAR(dq[i * dim + f], expected, 1e-6 * static_cast<double>(keys + 1));
    }
    for (size_t j = 0; j < keys; ++j) {
      double expected = 0;
      for (size_t i = 0; i < queries; ++i)
        expected +=
            0.5 * g.data()[i * keys + j] * sign(q.data()[i * dim + f] - k.data()[j * dim + f]);
      ASSERT_NEAR(dk[j * dim + f], expected, 1e-6 * static_cast<double>(queries + 1));
    }
  }
}

TEST(L1Gradients, EqualTheDefinitionForAllSizes) {
  on_each_isa([] {
    for (size_t n = 0; n <= 33; ++n) {
      expect_gradients(n, 6, 17, /*with_ties=*/false);
      expect_gradients(6, n, 17, /*with_ties=*/false);
      expect_gradients(6, 9, n, /*with_ties=*/false);
    }
    expect_gradients(40, 70, 64, /*with_ties=*/false);
  });
}

TEST(L1Gradients, EqualElementsContributeNothing) {
  on_each_isa([] {
    for (size_t n = 1; n <= 33; ++n) expect_gradients(n, n, 20, /*with_ties=*/true);
  });
}

TEST(L1Gradients, OfEqualRowsAreZero) {
  on_each_isa([] {
    constexpr size_t kCount = 21, kDim = 19;
    const std::vector<float> same(kCount * kDim, 0.3f);
    const RandomRows g(kCount * kCount, 6);
    std::vector<float> dq(kCount * kDim), dk(kCount * kDim);
    std::vector<float> scratch(l1_score_gradients_scratch(kCount, kDim));
    l1_score_gradients({ScoreKind::l1, kDim, 1.0f}, {same.data(), kCount, kDim},
                       {same.data(), kCount, kDim}, g.data(), kCount, dq.data(), dk.data(),
                       scratch.data());
    EXPECT_THAT(dq, ::testing::Each(::testing::FloatNear(0, 2e-6f)));  // 21 sums in another order
    EXPECT_THAT(dk, ::testing::Each(::testing::FloatNear(0, 2e-6f)));
  });
}

}  // namespace
}  // namespace eatt::kernels
