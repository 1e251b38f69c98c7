#include <c10/core/Allocator.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "model/attention_scores.h"
#include "model/building_blocks.h"
#include "model/layers.h"
#include "small_models.h"

namespace eatt {
namespace {

using namespace testing;

struct Result {
  torch::Tensor scores, d_query, d_key;
};

using Scoring = std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>;

// Scores, and gradients for the incoming gradient given.
Result run(const Scoring& scoring, const torch::Tensor& query, const torch::Tensor& key,
           const torch::Tensor& d_scores) {
  const auto q = query.detach().clone().requires_grad_();
  const auto k = key.detach().clone().requires_grad_();
  const auto scores = scoring(q, k);
  scores.backward(d_scores);
  return {scores.detach(), q.grad(), k.grad()};
}

Scoring by_chunks(int64_t keys) {
  return [keys](const auto& query, const auto& key) { return chunked_l1_scores(query, key, keys); };
}

void expect_close(const Result& found, const Result& expected, double tolerance) {
  EXPECT_TRUE(torch::allclose(found.scores, expected.scores, tolerance, tolerance));
  EXPECT_TRUE(torch::allclose(found.d_query, expected.d_query, tolerance, tolerance));
  EXPECT_TRUE(torch::allclose(found.d_key, expected.d_key, tolerance, tolerance));
}

TEST(ChunkedL1, EqualsTheKernelsWhateverTheChunk) {
  torch::manual_seed(5);
  for (const int64_t queries : {1, 7, 12}) {  // Self-attention where it is 12, else cross.
    // Multiples of 0.5, so that many differences are 0.
    const auto query = torch::randn({2, 3, queries, 10}).mul(2).round().mul(0.5);
    const auto key = torch::randn({2, 3, 12, 10}).mul(2).round().mul(0.5);
    const auto d_scores = torch::randn({2, 3, queries, 12});
    const auto expected = run(fused_l1_scores, query, key, d_scores);
    for (const int64_t keys : {1, 5, 11, 12, 100}) {
      SCOPED_TRACE(keys);
      expect_close(run(by_chunks(keys), query, key, d_scores), expected,
                   1e-5);  // Sums of at most 12 floats near 1.
    }
  }
}

// Central differences of Σ scores · d_scores, with no two coordinates nearer than a step.
TEST(ChunkedL1, HasTheNumericGradientInDoublePrecision) {
  torch::manual_seed(6);
  const auto query = torch::randn({2, 2, 4, 3}, torch::kDouble);
  const auto key = torch::randn({2, 2, 7, 3}, torch::kDouble);
  const auto d_scores = torch::randn({2, 2, 4, 7}, torch::kDouble);
  const auto found = run(by_chunks(3), query, key, d_scores);
  const auto value = [&] {
    return (chunked_l1_scores(query, key, 3) * d_scores).sum().item<double>();
  };
  const auto check = [&](const torch::Tensor& variable, const torch::Tensor& gradient) {
    constexpr double kStep = 1e-6;
    for (int64_t i = 0; i < variable.numel(); ++i) {
      auto element = variable.view(-1)[i];
      element += kStep;
      const double above = value();
      element -= 2 * kStep;
      const double below = value();
      element += kStep;
      EXPECT_NEAR(gradient.view(-1)[i].item<double>(), (above - below) / (2 * kStep), 1e-7);
    }
  };
  check(query, found.d_query);
  check(key, found.d_key);
}

TEST(ChunkedL1, EqualCoordinatesGetGradientZeroInEveryChunk) {
  const auto same = torch::ones({1, 2, 5, 4});
  const auto found = run(by_chunks(2), same, same, torch::ones({1, 2, 5, 5}));
  for (const auto& zeros : {found.scores, found.d_query, found.d_key}) {
    EXPECT_EQ(zeros.abs().max().item<float>(), 0);
  }
}

TEST(ChunkedL1, TakesViewsAndAnIncomingGradientWithGaps) {
  torch::manual_seed(7);
  const auto query = torch::randn({2, 6, 3, 8}), key = torch::randn({2, 9, 3, 8});
  const auto d_scores = torch::randn({2, 3, 9, 6}).transpose(-2, -1);
  const auto turned = [](const Scoring& scoring) -> Scoring {
    return [scoring](const auto& q, const auto& k) {
      return scoring(q.transpose(1, 2), k.transpose(1, 2));
    };
  };
  expect_close(run(turned(by_chunks(4)), query, key, d_scores),
               run(turned(fused_l1_scores), query, key, d_scores), 1e-5);
}

TEST(ChunkedL1, WorksWithoutQueriesKeysOrFeatures) {
  for (const auto& [queries, keys, features] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{0, 3, 4}, {3, 0, 4}, {3, 3, 0}}) {
    const auto query = torch::randn({2, 1, queries, features}).requires_grad_();
    const auto key = torch::randn({2, 1, keys, features}).requires_grad_();
    const WithoutFusedKernels generic;
    const auto scores = l1_scores(query, key);
    EXPECT_EQ(scores.sizes(), torch::IntArrayRef({2, 1, queries, keys}));
    EXPECT_EQ(scores.sum().item<float>(), 0);
    scores.sum().backward();
    EXPECT_EQ(query.grad().sizes(), query.sizes());
    EXPECT_EQ(key.grad().sizes(), key.sizes());
  }
}

TEST(ChunkedL1, DifferencesAreNeverLargerThanScoresQueriesOrAMegabyte) {
  for (const int64_t length : {1, 3, 64, 100, 512, 2000}) {
    for (const int64_t head_dim : {1, 8, 64, 100}) {
      const auto query = torch::empty({1, 4, length, head_dim});
      const int64_t keys = l1_keys_at_once(query, query);
      EXPECT_GE(keys, 1);
      EXPECT_LE(keys * query.numel(),
                std::max<int64_t>({4 * length * length, query.numel(), 1 << 18}));
    }
  }
}

// Bytes of tensors that this thread has at a time, above those it had when counting began.
class PeakMemory : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*ptr*/, int64_t size, int64_t /*allocated*/, int64_t /*reserved*/,
                         c10::Device /*device*/) override {
    now_ += size;
    peak_ = std::max(peak_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

  static int64_t of(const std::function<void()>& body) {
    const int threads = torch::get_num_threads();
    torch::set_num_threads(1);
    const auto counter = std::make_shared<PeakMemory>();
    {
      const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
      body();
    }
    torch::set_num_threads(threads);
    return counter->peak();
  }

 private:
  int64_t now_ = 0, peak_ = 0;
};

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

TEST(PeakMemory, CountsTensorsThatLiveAtTheSameTime) {
  const int64_t peak = PeakMemory::of([] {
    { const auto first = torch::empty({1000}); }
    const auto second = torch::empty({500}), third = torch::empty({700});
  });
  EXPECT_EQ(peak, 1200 * 4);
}

// Forward and backward of an encoder's attention with the sizes of the base model and padding.
// Dropout is libtorch's own, as on devices without our kernels.
int64_t attention_peak(Mechanism mechanism, int64_t length, double dropout) {
  Architecture architecture = small_architecture(mechanism);
  architecture.model_dim = architecture.attention_dim = architecture.qk_dim = 512;
  architecture.heads = 8;
  torch::manual_seed(8);
  AttentionTraining training;
  training.dropout = dropout;
  AttentionLayer layer(architecture, Role::encoder_self, 0, training);
  const auto x = torch::randn({2, length, 512}).requires_grad_();
  const auto mask = AttentionMask::from_lengths(torch::tensor({length, length - 100}), length,
                                                /*causal=*/false, length);
  const auto step = [&] { layer->forward({x, x, {}}, mask).sum().backward(); };
  step();  // What is made once stays: the weights' gradients, the mask.
  return PeakMemory::of(step);
}

TEST(ChunkedL1, AttentionOf512PositionsTakesAtMostTwiceVanillasMemory) {
  const WithoutFusedKernels generic;
  for (const double dropout : {0.0, 0.1}) {
    const int64_t vanilla = attention_peak(Mechanism::vanilla, 512, dropout);
    fmt::print("dropout {}: vanilla {:.1f} MB", dropout, megabytes(vanilla));
    for (const Mechanism mechanism : {Mechanism::l1, Mechanism::eatt}) {
      const int64_t peak = attention_peak(mechanism, 512, dropout);
      fmt::print(", {} {:.1f} MB", mechanism_name(mechanism), megabytes(peak));
      EXPECT_LE(peak, 2 * vanilla) << mechanism_name(mechanism);
    }
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace eatt
