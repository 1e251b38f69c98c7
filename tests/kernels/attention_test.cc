#include "kernels/attention/attention.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

// Whether dropout keeps element `index` of a row: the hash of dropout-inl.h, one at a time.
bool is_kept(DropoutRow row, uint32_t index, int32_t threshold) {
  uint32_t hash = index + row.offset;
  hash ^= hash >> 16;
  hash *= 0x21f0aaadu;
  hash += row.key;
  hash ^= hash >> 15;
  hash *= 0xd35a2d97u;
  return static_cast<int32_t>(hash) > threshold;
}

// A problem with its tensors, laid out [batch, len, heads, dim] as a projection leaves them.
struct Case {
  explicit Case(const Attention& a)
      : attention(a),
        q(a.batch * a.query_len * a.heads * a.head_dim, 1),
        k(a.batch * a.key_len * a.heads * a.head_dim, 2),
        v(a.batch * a.key_len * a.heads * a.value_dim, 3),
        d_out(a.batch * a.query_len * a.heads * a.value_dim, 4),
        out(d_out.values().size(), 9.0f),
        log_sums(a.head_count() * a.query_len, 9.0f),
        weights(a.head_count() * a.query_len * a.key_len, 9.0f),
        dq(q.values().size(), 9.0f),
        dk(k.values().size(), 9.0f),
        dv(v.values().size(), 9.0f) {}

  template <typename T>
  HeadRows<T> rows(T* data, size_t len, size_t dim) const {
    return {data, len * attention.heads * dim, attention.heads * dim, dim};
  }

  void forward() {
    const Attention& a = attention;
    std::vector<float> scratch(attention_forward_scratch(a));
    const AttentionForward tensors = {rows<const float>(q.data(), a.query_len, a.head_dim),
                                      rows<const float>(k.data(), a.key_len, a.head_dim),
                                      rows<const float>(v.data(), a.key_len, a.value_dim),
                                      rows(out.data(), a.query_len, a.value_dim),
                                      log_sums.data(),
                                      weights.data()};
    attention_forward(a, tensors, 0, a.head_count(), scratch.data());
  }

  void backward() {
    const Attention& a = attention;
    std::vector<float> scratch(attention_backward_scratch(a));
    const AttentionBackward tensors = {rows<const float>(q.data(), a.query_len, a.head_dim),
                                       rows<const float>(k.data(), a.key_len, a.head_dim),
                                       rows<const float>(v.data(), a.key_len, a.value_dim),
                                       rows<const float>(out.data(), a.query_len, a.value_dim),
                                       rows<const float>(d_out.data(), a.query_len, a.value_dim),
                                       log_sums.data(),
                                       rows(dq.data(), a.query_len, a.head_dim),
                                       rows(dk.data(), a.key_len, a.head_dim),
                                       rows(dv.data(), a.key_len, a.value_dim)};
    attention_backward(a, tensors, 0, a.head_count(), scratch.data());
  }

  Attention attention;
  RandomRows q, k, v, d_out;
  std::vector<float> out, log_sums, weights, dq, dk, dv;
};

// The same by the definition, in double, one pair at a time.
struct Twin {
  explicit Twin(const Case& c)
      : out(c.out.size()),
        weights(c.weights.size()),
        dq(c.dq.size()),
        dk(c.dk.size()),
        dv(c.dv.size()) {
    const Attention& a = c.attention;
    for (size_t b = 0; b < a.batch; ++b)
      for (size_t h = 0; h < a.heads; ++h)
        for (size_t i = 0; i < a.query_len; ++i) one_query(c, b, h, i);
  }

  static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

  void one_query(const Case& c, size_t b, size_t h, size_t i) {
    const Attention& a = c.attention;
    const auto at = [&](size_t len, size_t dim, size_t pos) {
      return ((b * len + pos) * a.heads + h) * dim;
    };
    const size_t row = (b * a.heads + h) * a.query_len + i;
    size_t keys = a.key_lengths != nullptr ? static_cast<size_t>(a.key_lengths[b]) : a.key_len;
    if (a.causal) keys = std::min(keys, i + 1);
    const float* q = c.q.data() + at(a.query_len, a.head_dim, i);
    std::vector<double> p(keys), keep(keys, 1.0), dp(keys);
    double sum = 0;
    for (size_t j = 0; j < keys; ++j) {
      const float* k = c.k.data() + at(a.key_len, a.head_dim, j);
      double score = 0;
      for (size_t f = 0; f < a.head_dim; ++f)
        score += a.kind == ScoreKind::dot ? static_cast<double>(q[f]) * k[f]
                                          : -std::abs(static_cast<double>(q[f]) - k[f]);
      p[j] = std::exp(a.factor * score);
      sum += p[j];
    }
    if (a.drops) {
      const DropoutRow numbers = dropout_row(a.dropout.seed, row);
      for (size_t j = 0; j < keys; ++j)
        keep[j] = is_kept(numbers, static_cast<uint32_t>(j), a.dropout.rate.threshold)
                      ? a.dropout.rate.scale
                      : 0.0;
    }
    double mean = 0;
    for (size_t j = 0; j < keys; ++j) {
      p[j] /= sum;
      weights[row * a.key_len + j] = p[j];
      for (size_t f = 0; f < a.value_dim; ++f) {
        const double v = c.v.data()[at(a.key_len, a.value_dim, j) + f];
        const double g = c.d_out.data()[at(a.query_len, a.value_dim, i) + f];
        out[at(a.query_len, a.value_dim, i) + f] += p[j] * keep[j] * v;
        dv[at(a.key_len, a.value_dim, j) + f] += p[j] * keep[j] * g;
        dp[j] += g * v * keep[j];
      }
      mean += p[j] * dp[j];
    }
    for (size_t j = 0; j < keys; ++j) {
      const double ds = a.factor * p[j] * (dp[j] - mean);
      const float* k = c.k.data() + at(a.key_len, a.head_dim, j);
      for (size_t f = 0; f < a.head_dim; ++f) {
        const double to_q =
            a.kind == ScoreKind::dot ? k[f] : -sign(static_cast<double>(q[f]) - k[f]);
        const double to_k =
            a.kind == ScoreKind::dot ? q[f] : sign(static_cast<double>(q[f]) - k[f]);
        dq[at(a.query_len, a.head_dim, i) + f] += ds * to_q;
        dk[at(a.key_len, a.head_dim, j) + f] += ds * to_k;
      }
    }
  }

  std::vector<double> out, weights, dq, dk, dv;
};

void expect_near(const std::vector<float>& got, const std::vector<double>& expected,
                 double tolerance, const char* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], tolerance) << what << " " << i;
}

void expect_equals_definition(const Attention& attention, bool with_ties = false) {
  SCOPED_TRACE(testing::Message() << attention.query_len << " queries, " << attention.key_len
                                  << " keys, dims " << attention.head_dim << " and "
                                  << attention.value_dim);
  Case c(attention);
  if (with_ties) {
    for (float& x : c.q.values()) x = std::round(x);
    for (float& x : c.k.values()) x = std::round(x);
  }
  c.forward();
  c.backward();
  const Twin twin(c);
  // Scores are sums of up to 64 floats of size 1 (5e-6); gradients sum up to 64 such products.
  expect_near(c.weights, twin.weights, 1e-5, "weight");
  expect_near(c.out, twin.out, 2e-5, "output");
  expect_near(c.dv, twin.dv, 5e-5, "value gradient");
  expect_near(c.dq, twin.dq, 1e-4, "query gradient");
  expect_near(c.dk, twin.dk, 1e-4, "key gradient");
}

class FusedAttention : public ::testing::TestWithParam<ScoreKind> {
 protected:
  Attention shape(size_t query_len, size_t key_len, size_t head_dim, size_t value_dim) const {
    return {.kind = GetParam(),
            .batch = 2,
            .heads = 3,
            .query_len = query_len,
            .key_len = key_len,
            .head_dim = head_dim,
            .value_dim = value_dim,
            .factor = 0.4f};
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, FusedAttention, ::testing::Values(ScoreKind::dot, ScoreKind::l1),
                         [](const auto& kind) {
                           return kind.param == ScoreKind::dot ? "Dot" : "L1";
                         });

TEST_P(FusedAttention, EqualsTheDefinitionForAllLengths) {
  on_each_isa([&] {
    for (size_t n = 0; n <= 33; ++n) {
      expect_equals_definition(shape(n, 5, 8, 8));
      expect_equals_definition(shape(5, n, 8, 8));
    }
    expect_equals_definition(shape(40, 70, 32, 32));
  });
}

TEST_P(FusedAttention, EqualsTheDefinitionForAllWidths) {
  on_each_isa([&] {
    for (size_t n = 0; n <= 33; ++n) {
      expect_equals_definition(shape(6, 7, n, 5));
      expect_equals_definition(shape(6, 7, 5, n));
    }
    expect_equals_definition(shape(9, 17, 64, 48));
  });
}

TEST_P(FusedAttention, HidesLaterKeysWhenCausal) {
  on_each_isa([&] {
    for (size_t n = 1; n <= 33; ++n) {
      for (Attention attention : {shape(n, n, 9, 17), shape(n, 7, 9, 17), shape(7, n, 9, 17)}) {
        attention.causal = true;
        expect_equals_definition(attention);
      }
    }
  });
}

TEST_P(FusedAttention, HidesKeysBeyondASentencesLength) {
  on_each_isa([&] {
    for (int64_t n = 0; n <= 19; ++n) {
      const int64_t lengths[2] = {n, 19};
      Attention attention = shape(19, 19, 8, 8);
      attention.key_lengths = lengths;
      expect_equals_definition(attention);
      attention.causal = true;
      expect_equals_definition(attention);
    }
  });
}

TEST_P(FusedAttention, DropsTheSameWeightsForwardAndBackward) {
  on_each_isa([&] {
    for (size_t n : {1, 7, 16, 33}) {
      Attention attention = shape(n, n, 16, 16);
      attention.drops = true;
      attention.dropout = {dropout_rate(0.3), 12345};
      expect_equals_definition(attention);
    }
  });
}

TEST_P(FusedAttention, CombinesLengthsCausalityAndDropout) {
  on_each_isa([&] {
    const int64_t lengths[2] = {11, 23};
    Attention attention = shape(23, 23, 16, 16);
    attention.key_lengths = lengths;
    attention.causal = true;
    attention.drops = true;
    attention.dropout = {dropout_rate(0.4), 99};
    expect_equals_definition(attention);
  });
}

TEST(FusedL1Attention, GivesEqualElementsNoGradient) {
  on_each_isa([] {
    const Attention attention = {.kind = ScoreKind::l1,
                                 .batch = 1,
                                 .heads = 2,
                                 .query_len = 21,
                                 .key_len = 18,
                                 .head_dim = 20,
                                 .value_dim = 8,
                                 .factor = 0.2f};
    expect_equals_definition(attention, /*with_ties=*/true);
  });
}

TEST(FusedL1Attention, IsTheSameHoweverHeadsAreSharedOut) {
  Attention attention = {.kind = ScoreKind::l1,
                         .batch = 2,
                         .heads = 2,
                         .query_len = 13,
                         .key_len = 11,
                         .head_dim = 16,
                         .value_dim = 16,
                         .factor = 0.25f};
  Case whole(attention), parts(attention);
  whole.forward();
  std::vector<float> scratch(attention_forward_scratch(attention));
  const Attention& a = attention;
  const AttentionForward tensors = {
      parts.rows<const float>(parts.q.data(), a.query_len, a.head_dim),
      parts.rows<const float>(parts.k.data(), a.key_len, a.head_dim),
      parts.rows<const float>(parts.v.data(), a.key_len, a.value_dim),
      parts.rows(parts.out.data(), a.query_len, a.value_dim),
      parts.log_sums.data(),
      nullptr};
  for (const size_t head : {3, 1, 0, 2})
    attention_forward(a, tensors, head, head + 1, scratch.data());
  EXPECT_EQ(parts.out, whole.out);
}

}  // namespace
}  // namespace eatt::kernels
