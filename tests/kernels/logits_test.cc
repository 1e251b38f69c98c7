#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "kernels/rows/rows.h"

namespace eatt::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double twin_log_sum_exp(const float* x, size_t size) {
  double most = -INFINITY, sum = 0;
  for (size_t i = 0; i < size; ++i) most = std::max<double>(most, x[i]);
  for (size_t i = 0; i < size; ++i) sum += std::exp(x[i] - most);
  return most + std::log(sum);
}

TEST(SoftmaxRows, AgreesWithDoubleForAllWidths) {
  on_each_isa([] {
    Random random(3);
    const size_t rows = 3;
    for (size_t width = 1; width <= 5 * 16 + 1; ++width) {
      auto x = Misaligned::random(rows * width, random, -20, 20);
      Misaligned out(rows * width), sums(rows);
      softmax_rows(x.data(), rows, width, out.data());
      log_sum_exp_rows(x.data(), rows, width, sums.data());
      for (size_t r = 0; r < rows; ++r) {
        const double sum = twin_log_sum_exp(x.data() + r * width, width);
        EXPECT_NEAR(sums[r], sum, 3e-6) << width;  // Numbers near 20 have steps of 2e-6.
        for (size_t i = r * width; i < (r + 1) * width; ++i) {
          const double wanted = std::exp(x[i] - sum);
          // x less the largest is up to 40, where half a step of float is 2e-6.
          EXPECT_NEAR(out[i], wanted, 3e-6 * wanted + 1e-37) << width;
        }
      }
      softmax_rows(x.data(), rows, width, x.data());
      EXPECT_EQ(x.copy(), out.copy()) << "in place, width " << width;
    }
  });
}

TEST(SoftmaxRows, NothingIsNothing) {
  on_each_isa([] {
    float out = 2;
    softmax_rows(nullptr, 0, 5, &out);
    softmax_rows(nullptr, 3, 0, &out);
    EXPECT_EQ(out, 2);
    float sum = 1;
    log_sum_exp_rows(nullptr, 1, 0, &sum);
    EXPECT_EQ(sum, -kInfinity);
  });
}

TEST(SoftmaxRows, HiddenPlacesGetExactlyZero) {
  on_each_isa([] {
    std::vector<float> x(20, -kInfinity);
    x[3] = 1, x[17] = 1;
    softmax_rows(x.data(), 1, x.size(), x.data());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], i == 3 || i == 17 ? 0.5f : 0.0f);
  });
}

TEST(SoftmaxRows, ARowThatSeesNothingBecomesZeros) {
  on_each_isa([] {
    std::vector<float> x(19, -kInfinity);
    float sum = 0;
    log_sum_exp_rows(x.data(), 1, x.size(), &sum);
    EXPECT_EQ(sum, -kInfinity);
    softmax_rows(x.data(), 1, x.size(), x.data());
    EXPECT_THAT(x, ::testing::Each(0.0f));
  });
}

TEST(SoftmaxRows, NanAnywhereShowsInTheResult) {
  on_each_isa([] {
    for (size_t place = 0; place < 70; ++place) {
      std::vector<float> x(70, 0.5f);
      x[place] = NAN;
      float sum = 0;
      log_sum_exp_rows(x.data(), 1, x.size(), &sum);
      EXPECT_TRUE(std::isnan(sum)) << place;
    }
  });
}

// One row of two numbers, 0 and x, gives eˣ / (1 + eˣ): for x far below 0 that is eˣ itself.
TEST(SoftmaxRows, ExponentialIsExactToTwoUnitsInTheLastPlace) {
  on_each_isa([] {
    double worst = 0;
    for (float x = -87.3f; x < -20; x += 0.00137f) {
      float row[2] = {0, x};
      softmax_rows(row, 1, 2, row);
      const double wanted = std::exp(static_cast<double>(x));
      worst = std::max(worst, std::abs(row[1] - wanted) / wanted);
    }
    EXPECT_LT(worst, 2 * 0x1p-23);
  });
}

TEST(SoftmaxRows, ExponentialIsExactlyZeroFarBelow) {
  on_each_isa([] {
    for (const float x : {-88.0f, -104.0f, -1e5f, -3e38f, -kInfinity}) {
      float row[2] = {x, 0};
      softmax_rows(row, 1, 2, row);
      EXPECT_EQ(row[0], 0.0f) << x;
      EXPECT_EQ(row[1], 1.0f) << x;
    }
  });
}

std::vector<std::pair<float, int32_t>> sorted_top(const Misaligned& x, size_t count) {
  std::vector<std::pair<float, int32_t>> all;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] > -kInfinity) all.emplace_back(x[i], static_cast<int32_t>(i));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  all.resize(std::min(count, all.size()));
  return all;
}

void expect_top(const Misaligned& x, size_t count) {
  std::vector<TopValue> out(count);
  out.resize(top_values(x.data(), x.size(), count, out.data()));
  std::vector<std::pair<float, int32_t>> found;
  for (const TopValue& top : out) found.emplace_back(top.value, top.index);
  ASSERT_EQ(found, sorted_top(x, count)) << count << " of " << x.size();
}

TEST(TopValues, AreThoseOfASortForAllSizes) {
  on_each_isa([] {
    for (size_t size = 0; size <= 300; ++size) {
      const RandomRows x(size, size);
      for (const size_t count : {0, 1, 2, 4, 5, 16, 40}) expect_top(x, count);
    }
    expect_top(RandomRows(32000, 1), 1);
    expect_top(RandomRows(32001, 2), 16);
    expect_top(RandomRows(1000, 3), 1000);
  });
}

TEST(TopValues, OfEqualNumbersTakeTheLowerIndexFirst) {
  on_each_isa([] {
    Random random(5);
    for (size_t size = 0; size <= 300; ++size) {
      Misaligned x(size);
      for (float& value : x) value = static_cast<float>(random.below(4));
      for (const size_t count : {1, 3, 16, 80}) expect_top(x, count);
    }
  });
}

TEST(TopValues, OfRisingAndFallingNumbersAreFound) {
  on_each_isa([] {
    Misaligned rising(1000), falling(1000);
    for (size_t i = 0; i < 1000; ++i) {
      rising[i] = static_cast<float>(i);
      falling[i] = -static_cast<float>(i);
    }
    for (const size_t count : {1, 7, 16}) {
      expect_top(rising, count);
      expect_top(falling, count);
    }
  });
}

TEST(TopValues, NeverHoldNanNorMinusInfinity) {
  on_each_isa([] {
    Random random(7);
    const float specials[] = {std::nanf(""), -kInfinity, kInfinity, 0.0f, -0.0f};
    for (size_t size = 0; size <= 300; ++size) {
      RandomRows x(size, size);
      for (float& value : x.values()) {
        if (random.below(3) > 0) value = specials[random.below(5)];
      }
      for (const size_t count : {1, 4, 16, 300}) expect_top(x, count);
    }
    const Misaligned nothing(200, 1, -kInfinity), nans(200, 1, std::nanf(""));
    expect_top(nothing, 3);
    expect_top(nans, 3);
  });
}

// A row in blocks of `parts` parts against the same row at once.
void expect_summary(const Misaligned& x, size_t first, size_t count, size_t parts, bool sums) {
  std::vector<TopValue> best(count), expected(count);
  RowSummary summary{.first = first, .capacity = count, .best = best.data(), .sums = sums};
  for (size_t begin = 0; begin < x.size(); begin += parts * kRowPart) {
    const size_t size = std::min(parts * kRowPart, x.size() - begin);
    add_columns(x.data() + begin, size, begin, size, &summary, 1);
  }
  const size_t skipped = std::min(first, x.size());
  expected.resize(top_values(x.data() + skipped, x.size() - skipped, count, expected.data()));
  ASSERT_EQ(summary.found, expected.size()) << x.size();
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(best[i].value, expected[i].value);
    EXPECT_EQ(best[i].index, expected[i].index + static_cast<int32_t>(skipped));
  }
  float log_sum = 0;
  log_sum_exp_rows(x.data(), 1, x.size(), &log_sum);
  if (sums) {
    EXPECT_EQ(summary.log_sum(), log_sum) << x.size();  // To the bit.
    EXPECT_NEAR(log_sum, twin_log_sum_exp(x.data(), x.size()), 3e-6);
  } else {
    EXPECT_EQ(summary.log_sum(), *std::max_element(x.begin(), x.end()));
  }
}

TEST(RowSummary, IsTheSameHoweverTheRowIsCut) {
  on_each_isa([] {
    for (const size_t size : {1, 4, 5, 70, 511, 512, 513, 1024, 1700, 5003}) {
      const RandomRows x(size, size);
      for (const size_t parts : {1, 2, 3, 20}) {
        for (const size_t count : {0, 1, 4, 40}) {
          expect_summary(x, /*first=*/4, count, parts, /*sums=*/true);
          expect_summary(x, /*first=*/0, count, parts, /*sums=*/false);
        }
      }
    }
  });
}

TEST(RowSummary, RisingEqualAndHiddenNumbersAreFine) {
  on_each_isa([] {
    Misaligned rising(3000), equal(3000, 1, 2.0f), hidden(3000, 1, -kInfinity);
    for (size_t i = 0; i < 3000; ++i) rising[i] = static_cast<float>(i) / 100;
    hidden[2999] = 3;
    for (const Misaligned* x : {&rising, &equal, &hidden}) {
      expect_summary(*x, 4, 16, 1, true);
      expect_summary(*x, 4, 16, 2, false);
    }
    const Misaligned nothing(1300, 1, -kInfinity);
    RowSummary summary;
    add_columns(nothing.data(), 1300, 0, 1300, &summary, 1);
    EXPECT_EQ(summary.log_sum(), -kInfinity);
  });
}

TEST(RowSummary, NanAnywhereShowsInTheSumAndInTheLargest) {
  on_each_isa([] {
    for (size_t place = 0; place < 1100; place += 7) {
      Misaligned x(1100, 1, 0.5f);
      x[place] = NAN;
      for (const bool sums : {true, false}) {
        TopValue best;
        RowSummary summary{.capacity = 1, .best = &best, .sums = sums};
        add_columns(x.data(), 1100, 0, 1100, &summary, 1);
        EXPECT_TRUE(std::isnan(summary.log_sum())) << place;
      }
    }
  });
}

constexpr size_t kRows = 3;

void expect_cross_entropy(size_t vocab, double smoothing, Random& random) {
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
    const double log_sum = twin_log_sum_exp(x, vocab);
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
      expect_cross_entropy(vocab, 0.1, random);
      expect_cross_entropy(vocab, 0.0, random);
    }
    expect_cross_entropy(5003, 0.1, random);
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
    const LabelledLogits none = {nullptr, nullptr, 0, 10, 0.1};
    RowLoss loss = {1, 2};
    std::vector<float> log_sums(1, 3.0f), gradient(10, 4.0f);
    smoothed_cross_entropy(none, &loss, log_sums.data());
    smoothed_cross_entropy_backward(none, log_sums.data(), 1, gradient.data());
    EXPECT_EQ(loss.smoothed, 1);
    EXPECT_EQ(loss.likelihood, 2);
    EXPECT_THAT(log_sums, ::testing::Each(3.0f));
    EXPECT_THAT(gradient, ::testing::Each(4.0f));
  });
}

}  // namespace
}  // namespace eatt::kernels
