#include <gmock/gmock.h>

#include <cmath>

#include "kernels/each_isa.h"
#include "kernels/misaligned.h"
#include "kernels/rows/logits.h"

namespace eatt::kernels {
namespace {

constexpr size_t kRows = 3;

double twin_log_sum(const float* x, size_t vocab) {
  double sum = 0;
  for (size_t j = 0; j < vocab; ++j) sum += std::exp(static_cast<double>(x[j]));
  return std::log(sum);
}

void expect_twin(size_t vocab, double smoothing, Random& random) {
  auto logits = Misaligned::random(kRows * vocab, random, -8, 8);
  std::vector<int64_t> labels;
  for (size_t r = 0; r < kRows; ++r) labels.push_back(static_cast<int64_t>(random.below(vocab)));
  const LabelledLogits rows{logits.data(), labels.data(), kRows, vocab, smoothing};
  std::vector<RowLoss> losses(kRows);
  Misaligned log_sums(kRows), gradient(kRows * vocab, /*offset=*/3);
  smoothed_cross_entropy(rows, losses.data(), log_sums.data());
  smoothed_cross_entropy_backward(rows, log_sums.data(), 0.25f, gradient.data());
  for (size_t r = 0; r < kRows; ++r) {
    const float* x = logits.data() + r * vocab;
    const double log_sum = twin_log_sum(x, vocab);
    double smoothed = 0;
    for (size_t j = 0; j < vocab; ++j) {
      const double target = (static_cast<size_t>(labels[r]) == j ? 1 - smoothing : 0) +
                            smoothing / static_cast<double>(vocab);
      smoothed -= target * (x[j] - log_sum);
      EXPECT_NEAR(gradient[r * vocab + j], 0.25 * (std::exp(x[j] - log_sum) - target), 5e-7);
    }
    // log_sum is near 10, where a step of float is 1e-6.
    EXPECT_NEAR(losses[r].smoothed, smoothed, 3e-6);
    EXPECT_NEAR(losses[r].likelihood, log_sum - x[labels[r]], 3e-6);
  }
  smoothed_cross_entropy_backward(rows, log_sums.data(), 0.25f, logits.data());
  EXPECT_EQ(logits.copy(), gradient.copy()) << "in place";
}

TEST(SmoothedCrossEntropy, AgreesWithDoubleForAllVocabularies) {
  on_each_isa([] {
    Random random(11);
    for (size_t vocab = 1; vocab <= 70; ++vocab) {
      SCOPED_TRACE(vocab);
      expect_twin(vocab, 0.1, random);
      expect_twin(vocab, 0.0, random);
    }
    expect_twin(5003, 0.1, random);
  });
}

TEST(SmoothedCrossEntropy, NanAmongTheLogitsShowsInTheLoss) {
  on_each_isa([] {
    for (size_t place = 0; place < 40; ++place) {
      std::vector<float> logits(40, 1.0f);
      logits[place] = NAN;
      const int64_t label = 7;
      RowLoss loss{};
      float log_sum = 0;
      smoothed_cross_entropy({logits.data(), &label, 1, 40, 0.1}, &loss, &log_sum);
      EXPECT_TRUE(std::isnan(loss.smoothed)) << place;
      EXPECT_TRUE(std::isnan(loss.likelihood)) << place;
    }
  });
}

TEST(SmoothedCrossEntropy, NoRowsTouchNothing) {
  on_each_isa([] {
    smoothed_cross_entropy({nullptr, nullptr, 0, 10, 0.1}, nullptr, nullptr);
    smoothed_cross_entropy_backward({nullptr, nullptr, 0, 10, 0.1}, nullptr, 1, nullptr);
  });
}

}  // namespace
}  // namespace eatt::kernels
