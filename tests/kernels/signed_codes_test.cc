#include "kernels/selection/signed_codes.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

// The definition: an integer from −levels to levels.
int code_of(float x, float threshold, size_t levels) {
  int code = 0;
  float limit = threshold;
  for (size_t n = 0; n < levels; ++n, limit += 2 * threshold) code += std::abs(x) > limit ? 1 : 0;
  return x < 0 ? -code : code;
}

// Inputs, some of them equal to a threshold or its negative, and thresholds above 0.
struct Inputs {
  Inputs(size_t rows, size_t dim_, size_t stride_, bool per_feature_)
      : x(rows * stride_, 1),
        thresholds(per_feature_ ? dim_ : 1, 2),
        stride(stride_),
        per_feature(per_feature_) {
    for (size_t i = 0; i < (per_feature ? dim_ : 1); ++i) {
      thresholds.data()[i] = 0.05f + 0.3f * std::abs(thresholds.data()[i]);
    }
    for (size_t i = 0; i < rows * stride; i += 3) {
      const float threshold = limit(i % stride < dim_ ? i % stride : 0);
      x.data()[i] = (i % 2 == 0 ? 1.0f : -3.0f) * threshold;
    }
  }

  float limit(size_t i) const { return thresholds.data()[per_feature ? i : 0]; }
  CodeThreshold threshold() const { return {thresholds.data(), per_feature}; }

  RandomRows x, thresholds;
  size_t stride;
  bool per_feature;
};

void expect_planes(size_t rows, size_t dim, size_t stride, bool per_feature, size_t levels) {
  const Inputs inputs(rows, dim, stride, per_feature);
  const size_t words = code_words(dim), count = code_planes(levels);
  std::vector<uint64_t> planes(count * rows * words, ~uint64_t{0});
  signed_code_planes(inputs.x.data(), stride, rows, dim, inputs.threshold(), levels, planes.data());
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < 64 * words; ++i) {
      const int code =
          i < dim ? code_of(inputs.x.data()[row * stride + i], inputs.limit(i), levels) : 0;
      for (size_t plane = 0; plane < count; ++plane) {
        const int size = plane % 2 == 0 ? code : -code;
        const uint64_t expected = size > 0 ? static_cast<uint64_t>(size) >> plane / 2 & 1 : 0;
        const uint64_t word = planes[(plane * rows + row) * words + i / 64];
        ASSERT_EQ(word >> i % 64 & 1, expected)
            << "plane " << plane << ", row " << row << ", feature " << i << " of " << dim;
      }
    }
  }
}

TEST(SignedCodes, HaveTheirDigitsInThePlanesOfTheirSign) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 140; ++dim) {
      expect_planes(3, dim, dim + dim % 3, dim % 2 == 0, 1 + dim % kMostCodeLevels);
    }
    expect_planes(0, 64, 64, false, 3);
  });
}

TEST(SignedCodes, OfNanAreZero) {
  on_each_isa([] {
    const std::vector<float> x(20, std::numeric_limits<float>::quiet_NaN());
    const float threshold = 0.5f;
    uint64_t planes[6] = {1, 1, 1, 1, 1, 1};
    signed_code_planes(x.data(), 20, 1, 20, {&threshold}, 6, planes);
    for (const uint64_t plane : planes) EXPECT_EQ(plane, 0u);
  });
}

TEST(SignedCodes, HaveAtMostTwoOnesInBinary) {
  for (size_t code = 0; code <= kMostCodeLevels; ++code) EXPECT_LE(std::popcount(code), 2);
  EXPECT_EQ(code_planes(0), 1u);
  EXPECT_EQ(code_planes(1), 2u);
  EXPECT_EQ(code_planes(3), 4u);
  EXPECT_EQ(code_planes(6), 6u);
}

TEST(SignedCodes, AsFloatsAreIntegersTimesTheUnit) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 70; ++dim) {
      const size_t levels = 1 + dim % kMostCodeLevels;
      const Inputs inputs(3, dim, dim, dim % 3 == 0);
      std::vector<float> codes(3 * dim);
      signed_code_values(inputs.x.data(), 3, dim, {inputs.threshold(), levels, 0.7f}, codes.data());
      for (size_t i = 0; i < codes.size(); ++i) {
        const int code = code_of(inputs.x.data()[i], inputs.limit(i % dim), levels);
        ASSERT_EQ(codes[i], static_cast<float>(code) * 0.7f) << i << " of " << dim;
      }
    }
  });
}

TEST(SignedCodes, LetGradientsThroughWithABellAtEachStep) {
  on_each_isa([] {
    for (size_t dim = 1; dim <= 70; ++dim) {
      const size_t levels = 1 + dim % kMostCodeLevels;
      const Inputs inputs(2, dim, dim, dim % 3 == 0);
      const RandomRows d_code(2 * dim, 3);
      const float width = dim % 2 == 0 ? 1.0f : 0.7f;
      std::vector<float> d_x(2 * dim);
      signed_code_gradient(inputs.x.data(), d_code.data(), 2, dim,
                           {inputs.threshold(), levels, 0.6f}, width, d_x.data());
      for (size_t i = 0; i < d_x.size(); ++i) {
        double slope = 0;
        for (size_t n = 1; n <= levels; ++n) {
          const double limit = inputs.limit(i % dim) * static_cast<double>(2 * n - 1);
          for (const double at : {limit, -limit}) {
            const double u = (inputs.x.data()[i] - at) / width;
            slope += 0.6 * std::sqrt(2 / std::numbers::pi) / width * std::exp(-2 * u * u);
          }
        }
        ASSERT_NEAR(d_x[i], d_code.data()[i] * slope, 2e-5) << i << " of " << dim;
      }
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
