#include "runtime/int8/quantize_selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "support/int8_numbers.h"

namespace eatt {
namespace {

struct Rows {
  Rows(size_t out, size_t in_size, double spread, double shift, uint64_t seed)
      : in(in_size), weight(out * in_size), bias(out) {
    Random random(seed);
    for (float& x : weight) x = static_cast<float>(spread * (2 * random.uniform() - 1) + shift);
    for (float& x : bias) x = static_cast<float>(spread * (2 * random.uniform() - 1));
  }

  SelectionRows view() const { return {weight, bias}; }
  float scale() const { return selection_scale(std::vector{view()}, in); }

  size_t in;
  std::vector<float> weight;
  std::vector<float> bias;
};

struct Numbers {
  Numbers(const Rows& rows, float scale) : weight(rows.weight.size()), bias(rows.bias.size()) {
    quantize_selection(rows.view(), scale, weight.data(), bias.data());
  }
  std::vector<int8_t> weight;
  std::vector<int16_t> bias;
};

TEST(QuantizeSelection, NumbersAreWithinHalfAStepOfTheWeights) {
  const Rows rows(5, 37, 0.3, 0, 1);
  const float scale = rows.scale();
  const Numbers numbers(rows, scale);
  const double half = 0.5 * scale * (1 + 1e-5);  // Rounded in floats.
  for (size_t i = 0; i < rows.weight.size(); ++i) {
    EXPECT_NEAR(numbers.weight[i] * static_cast<double>(scale), rows.weight[i], half) << i;
  }
  for (size_t o = 0; o < rows.bias.size(); ++o) {
    EXPECT_NEAR(numbers.bias[o] * static_cast<double>(scale), rows.bias[o], half) << o;
  }
}

TEST(QuantizeSelection, WithoutDangerOfOverflowTheLargestWeightDecides) {
  Rows rows(3, 20, 0.1, 0, 2);
  rows.weight[17] = -2.54f;
  EXPECT_FLOAT_EQ(rows.scale(), 2.54f / 127);
  const Numbers numbers(rows, rows.scale());
  EXPECT_EQ(numbers.weight[17], -127);
}

TEST(QuantizeSelection, TheScaleGrowsUntilNoSumLeavesSixteenBits) {
  const Rows up(4, 512, 0.1, 0.5, 3), down(4, 512, 0.1, -0.5, 4);  // All of one sign.
  for (const Rows* rows : {&up, &down}) {
    const float scale = rows->scale();
    EXPECT_GT(scale, 0.6f / 127 * 1.5f);  // 512 of about 0.5 need 256 / 32767.
    const Numbers numbers(*rows, scale);
    EXPECT_TRUE(testing::int16_sums_fit(numbers.weight.data(), numbers.bias.data(), 512, 4));
    const Numbers finer(*rows, scale * 0.99f);
    EXPECT_FALSE(testing::int16_sums_fit(finer.weight.data(), finer.bias.data(), 512, 4));
  }
}

// The largest sum of signed codes has all of them at their largest, with the signs of the weights.
TEST(QuantizeSelection, SignedCodesLeaveRoomForTheirLargestSums) {
  for (const size_t levels : {1, 6}) {
    const Rows rows(4, 512, 0.5, 0, 6);
    SelectionRows view = rows.view();
    view.code_levels = levels;
    view.unit = 0.6f;
    const float scale = selection_scale(std::vector{view}, 512);
    std::vector<int8_t> weight(rows.weight.size());
    std::vector<int16_t> bias(rows.bias.size());
    quantize_selection(view, scale, weight.data(), bias.data());
    int largest = 0;
    for (size_t o = 0; o < 4; ++o) {
      int sum = 0;
      for (size_t i = 0; i < 512; ++i) sum += std::abs(weight[o * 512 + i]);
      largest = std::max(largest, static_cast<int>(levels) * sum + std::abs(bias[o]));
      EXPECT_NEAR(bias[o] * static_cast<double>(scale * view.unit), rows.bias[o],
                  0.51 * scale * view.unit);
    }
    EXPECT_LE(largest, 32767);
    EXPECT_GT(largest, 32000);
  }
}

TEST(QuantizeSelection, RoundingIsPartOfWhatHasToFit) {
  // 127 + 587 · 55.59 = 32758, which fits; but 55.59 steps are 56 after rounding, and 32999 is too
  // much.
  Rows rows(1, 588, 0, 0, 5);
  std::fill(rows.weight.begin(), rows.weight.end(), 55.59f);
  rows.weight[0] = 127;
  const Numbers plain(rows, 1);
  EXPECT_FALSE(testing::int16_sums_fit(plain.weight.data(), plain.bias.data(), 588, 1));
  EXPECT_GT(rows.scale(), 1);
  EXPECT_LT(rows.scale(), 1.004f);  // 55.59 / 55.5, and a step of a thousandth.
  const Numbers numbers(rows, rows.scale());
  EXPECT_TRUE(testing::int16_sums_fit(numbers.weight.data(), numbers.bias.data(), 588, 1));
}

TEST(QuantizeSelection, ALargeBiasFitsSixteenBits) {
  Rows rows(2, 8, 0.001, 0, 6);
  rows.bias = {-900, 800};
  const Numbers numbers(rows, rows.scale());
  EXPECT_TRUE(testing::int16_sums_fit(numbers.weight.data(), numbers.bias.data(), 8, 2));
  EXPECT_LT(numbers.bias[0], -32000);
  EXPECT_NEAR(numbers.bias[1] * static_cast<double>(rows.scale()), 800, rows.scale());
}

TEST(QuantizeSelection, SeveralGroupsOfRowsGetOneScale) {
  const Rows small(2, 16, 0.1, 0, 7), large(3, 16, 0.7, 0, 8);
  const std::vector<SelectionRows> both = {small.view(), large.view()};
  EXPECT_EQ(selection_scale(both, 16), large.scale());
  EXPECT_LT(small.scale(), large.scale());
}

TEST(QuantizeSelection, ZerosAndTinyWeightsHaveAScaleToo) {
  Rows rows(2, 8, 0, 0, 9);
  EXPECT_EQ(rows.scale(), 1);
  rows.weight[3] = 1e-42f;
  const float scale = rows.scale();
  EXPECT_GT(scale, 0);
  EXPECT_TRUE(std::isfinite(1 / scale));
  EXPECT_EQ(Numbers(rows, scale).weight, std::vector<int8_t>(16, 0));
}

}  // namespace
}  // namespace eatt
