#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/each_isa.h"
#include "kernels/misaligned.h"
#include "kernels/rows/logits.h"

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
    softmax_rows(nullptr, 0, 5, nullptr);
    softmax_rows(nullptr, 3, 0, nullptr);
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

}  // namespace
}  // namespace eatt::kernels
