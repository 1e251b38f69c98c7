#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "kernels/packed_int8.h"

// Numbers of eight bits made from floats, and their packed order.
namespace eatt::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Quantizes one row and returns its bytes, padding included.
std::vector<uint8_t> quantized_row(const Misaligned& x, float& scale) {
  AlignedMemory<uint8_t> values(quantized_rows_size(1, x.size()));
  const QuantizedRows row = quantize_rows(x.data(), x.size(), 1, x.size(), values.data(), &scale);
  return {row.values, row.values + row.stride};
}

TEST(QuantizeRows, RoundsToTheNearestOf127StepsEachWay) {
  on_each_isa([] {
    for (size_t width = 0; width <= 131; ++width) {
      constexpr size_t kRows = 3;
      const size_t stride = width + 2;
      const RandomRows x(kRows * stride, width + 1);
      AlignedMemory<uint8_t> values(quantized_rows_size(kRows, width));
      std::vector<float> scales(kRows);
      const QuantizedRows rows =
          quantize_rows(x.data(), stride, kRows, width, values.data(), scales.data());
      ASSERT_EQ(rows.rows, kRows);
      ASSERT_EQ(rows.stride, (width + 63) / 64 * 64);
      for (size_t r = 0; r < kRows; ++r) {
        float largest = 0;
        for (size_t i = 0; i < width; ++i) largest = std::max(largest, std::abs(x[r * stride + i]));
        ASSERT_EQ(rows.scales[r], largest / 127.0f);
        for (size_t i = 0; i < rows.stride; ++i) {
          const int number = rows.values[r * rows.stride + i] - 128;
          // 1e-4: the quotient is rounded twice, with errors of 127 · 2⁻²⁴ each.
          const double exact = i < width ? x[r * stride + i] / double{largest} * 127.0 : 0.0;
          ASSERT_NEAR(number, exact, 0.5 + 1e-4) << "width " << width << ", number " << i;
        }
      }
    }
  });
}

TEST(QuantizeRows, RoundsTiesToEven) {
  on_each_isa([] {
    Misaligned x(20);
    x[19] = -127;
    const float ties[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 125.5f, 126.5f};
    std::copy(std::begin(ties), std::end(ties), x.begin());
    float scale = 0;
    const auto values = quantized_row(x, scale);
    EXPECT_EQ(scale, 1.0f);
    EXPECT_THAT((std::vector<int>{values.begin(), values.begin() + 8}),
                ::testing::ElementsAre(128, 130, 130, 128, 126, 126, 254, 254));
    EXPECT_EQ(values[19], 1);
  });
}

TEST(QuantizeRows, HaveScaleZeroForZerosAndNaNForWhatIsNotFinite) {
  on_each_isa([] {
    for (const size_t width : {1, 16, 17, 33, 70}) {
      Misaligned x(width);
      float scale = -1;
      EXPECT_THAT(quantized_row(x, scale), ::testing::Each(128));
      EXPECT_EQ(scale, 0.0f);
      for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
        for (const size_t place : {size_t{0}, width - 1}) {
          Misaligned with = x;
          with[place] = bad;
          quantized_row(with, scale);
          EXPECT_TRUE(std::isnan(scale)) << bad << " at " << place << " of " << width;
        }
      }
    }
  });
}

TEST(QuantizeRows, TakeTheSmallestAndTheLargestFloats) {
  on_each_isa([] {
    for (const float largest :
         {std::numeric_limits<float>::denorm_min(), 127 * std::numeric_limits<float>::denorm_min(),
          1e-40f, 1e-37f, std::numeric_limits<float>::max()}) {
      Misaligned x(3);
      x[0] = largest;
      x[1] = -largest;
      float scale = -1;
      const auto values = quantized_row(x, scale);
      EXPECT_EQ(values[0], 255) << largest;
      EXPECT_EQ(values[1], 1) << largest;
      EXPECT_EQ(values[2], 128) << largest;
      EXPECT_EQ(scale, largest / 127.0f);
    }
  });
}

TEST(QuantizeWeights, GivesEachOutputItsScale) {
  const std::vector<float> weight = {0.5f, -1.0f, 0.25f, 0, 0, 0, 254, 3, -4};  // [3, 3]
  std::vector<int8_t> quantized(9);
  std::vector<float> scales(3);
  quantize_weights(weight.data(), 3, 3, quantized.data(), scales.data());
  EXPECT_THAT(scales, ::testing::ElementsAre(1.0f / 127, 1.0f, 2.0f));
  EXPECT_THAT(quantized, ::testing::ElementsAre(64, -127, 32, 0, 0, 0, 127, 2, -2));
}

TEST(Int8Panels, AreTheOrderThatBundlesStore) {
  constexpr size_t kIn = 6, kOut = 66;  // Two groups of inputs, two panels.
  const PackedInt8 packed(kIn, kOut, false);
  ASSERT_EQ(int8_panels_size(kIn, kOut), 2u * 2 * 64 * 4);
  for (size_t i = 0; i < int8_panels_size(kIn, kOut); ++i) {
    const size_t input = i / 256 % 2 * 4 + i % 4, column = i / 512 * 64 + i % 256 / 4;
    const int expected = input < kIn && column < kOut ? packed.weight[column * kIn + input] : 0;
    ASSERT_EQ(packed.panels.data()[i], expected) << i;
  }
  ASSERT_EQ(packed.sums.size(), 128u);
  for (size_t column = 0; column < 128; ++column) {
    int sum = 0;
    for (size_t i = 0; i < kIn && column < kOut; ++i) sum += packed.weight[column * kIn + i];
    ASSERT_EQ(packed.sums[column], sum);
  }
}

TEST(Int8WeightRow, IsTheRowThatWasPacked) {
  for (const size_t in : {1, 4, 7, 64, 130}) {
    const PackedInt8 packed(in, 70, false);
    for (const size_t column : {0, 1, 63, 64, 69}) {
      Misaligned row(in);
      int8_weight_row(packed.matrix, column, 3.0f, row.data());
      for (size_t i = 0; i < in; ++i) {
        ASSERT_EQ(row[i], 3.0f * packed.scales[column] * packed.weight[column * in + i]);
      }
    }
  }
}

}  // namespace
}  // namespace eatt::kernels
