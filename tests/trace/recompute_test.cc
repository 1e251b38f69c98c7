// The example of docs/trace-format.md, by hand.
#include "trace/recompute.h"

#include <gmock/gmock.h>

namespace eatt::trace {
namespace {

using ::testing::ElementsAre;

TEST(Recompute, ACodeIsOneAboveItsThreshold) {
  const std::vector<float> input{0.3f, -0.2f, 0.7f, 0.5f, 0.6f, 0.1f, 0.5f, -1.0f};
  const std::vector<float> threshold{0.5f, -0.5f, 0.5f, 0.5f};
  EXPECT_THAT(codes_of(input, threshold, 0), ElementsAre(0, 1, 1, 0, 1, 1, 0, 0));
}

TEST(Recompute, ASignedCodeCountsTheThresholdsThatItsInputIsBeyond) {
  const std::vector<float> input{0.0f, 0.25f, -0.3f, 0.7f, 0.8f, -1.7f, 9.0f};
  const std::vector<float> threshold{0.25f};
  EXPECT_THAT(codes_of(input, threshold, 6), ElementsAre(0, 0, -1, 1, 2, -3, 6));
  EXPECT_THAT(codes_of(input, threshold, 1), ElementsAre(0, 0, -1, 1, 1, -1, 1));
}

TEST(Recompute, QueriesAndKeysAreTheBiasAndTheSelectedWeights) {
  const std::vector<int16_t> query_bias{10, -3}, key_bias{0, 1};
  const PlainSelection query{{}, {5, -7, 2, 1, 3, 3, -4, 90}, query_bias};
  const PlainSelection key{{}, {-6, 1, 9, 4, 2, 0, 8, -100}, key_bias};
  const std::vector<int8_t> codes{0, 1, 1, 0, 1, 1, 0, 0};  // [2 rows, 4 features]
  EXPECT_THAT(selected_sums(query, codes), ElementsAre(5, -4, 8, 3));
  EXPECT_THAT(selected_sums(key, codes), ElementsAre(10, 9, -5, 3));
}

TEST(Recompute, ScoresAreUnitsTimesDistances) {
  const std::vector<int16_t> query{5, -4}, key{10, 9};
  EXPECT_EQ(distance(query, key), 18);
  EXPECT_EQ(distance_score(18, 0.125f), -2.25f);
  const std::vector<int16_t> lowest{-32767}, highest{32767};
  EXPECT_EQ(distance(lowest, highest), 65534);
}

TEST(Recompute, ARowIsRoundedToTheShareOfItsLargestNumber) {
  const std::vector<float> values{31.75f, -16.0f, 0.5f, 0, 0, 0, 0x1p-100f, -0x1p-101f, 0};
  const RoundedRows rounded = rounded_rows(values, 3);
  // 63.5 lies between two integers, and 64 is the even one.
  EXPECT_THAT(rounded.numbers, ElementsAre(127, -64, 2, 0, 0, 0, 127, -64, 0));
  EXPECT_THAT(rounded.scales, ElementsAre(0.25f, 0.0f, 0x1p-100f / 127));
}

TEST(Recompute, AProductIsASumTimesTwoScalesPlusABias) {
  const std::vector<float> scales{0.25f, 0.5f}, bias{1.0f, -20.0f};
  const PlainProduct product{.name = "",
                             .packed = nullptr,
                             .reads = "",
                             .in = 3,
                             .out = 2,
                             .weight = {10, -20, 30, 127, 0, -127},
                             .scales = scales,
                             .bias = bias};
  const std::vector<int8_t> input{127, -64, 2};  // Of 31.75, -16, 0.5: their scale is 0.25.
  const auto sums = product_sums(product, input);
  EXPECT_THAT(sums, ElementsAre(2610, 15875));
  using enum kernels::Activation;
  EXPECT_EQ(product_output(product, 0, sums[0], 0.25f, none), 164.125f);
  EXPECT_EQ(product_output(product, 1, -40, 0.25f, none), -25.0f);
  EXPECT_EQ(product_output(product, 1, -40, 0.25f, relu), 0.0f);
}

}  // namespace
}  // namespace eatt::trace
