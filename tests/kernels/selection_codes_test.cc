#include "kernels/selection/selection_codes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/kernel_testing.h"
#include "kernels/random_codes.h"

namespace eatt::kernels {
namespace {

void expect_codes(size_t rows, size_t dim, size_t stride, bool per_feature) {
  RandomRows x(rows * stride, 1);
  const RandomRows thresholds(per_feature ? dim : 1, 2);
  for (size_t i = 0; i < rows * stride; i += 5) {  // Equal is not above.
    x.data()[i] = thresholds.data()[per_feature && i % stride < dim ? i % stride : 0];
  }
  std::vector<uint64_t> bits(rows * code_words(dim), ~uint64_t{0});
  const size_t ones =
      selection_codes(x.data(), stride, rows, dim, {thresholds.data(), per_feature}, bits.data());
  size_t expected_ones = 0;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < 64 * code_words(dim); ++i) {
      const bool expected =
          i < dim && x.data()[row * stride + i] > thresholds.data()[per_feature ? i : 0];
      expected_ones += expected ? 1 : 0;
      ASSERT_EQ(bits[row * code_words(dim) + i / 64] >> (i % 64) & 1, expected ? 1 : 0)
          << "row " << row << ", feature " << i << " of " << dim;
    }
  }
  EXPECT_EQ(ones, expected_ones);
}

TEST(SelectionCodes, AreOneWhereTheInputIsAboveTheThreshold) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 200; ++dim) {
      expect_codes(3, dim, dim + dim % 3, dim % 2 == 0);
      expect_codes(2, dim, dim, dim % 2 == 1);
    }
    expect_codes(0, 64, 64, false);
  });
}

TEST(SelectionCodes, OfNegativeThresholdsDoNotCountFeaturesBeyondTheRow) {
  on_each_isa([] {
    const std::vector<float> x(37, 0.0f);
    const float threshold = -1.0f;
    uint64_t bits = 0;
    EXPECT_EQ(selection_codes(x.data(), 37, 1, 37, {&threshold}, &bits), 37u);
    EXPECT_EQ(bits, (uint64_t{1} << 37) - 1);
  });
}

TEST(SelectionCodes, OfNanAreZero) {
  on_each_isa([] {
    const std::vector<float> x(20, std::numeric_limits<float>::quiet_NaN());
    const float threshold = 0.0f;
    uint64_t bits = 1;
    EXPECT_EQ(selection_codes(x.data(), 20, 1, 20, {&threshold}, &bits), 0u);
    EXPECT_EQ(bits, 0u);
  });
}

TEST(SelectionCodes, AsFloatsAreZerosAndOnes) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 140; ++dim) {
      const RandomCodes codes(3, dim, 0.4, dim);
      const size_t stride = dim + dim % 4;
      std::vector<float> floats(3 * stride, 7.0f);
      codes_to_floats(codes.bits.data(), 3, dim, floats.data(), stride);
      for (size_t row = 0; row < 3; ++row) {
        for (size_t i = 0; i < stride; ++i) {
          const float expected = i < dim ? static_cast<float>(codes.at(row, i)) : 7.0f;
          ASSERT_EQ(floats[row * stride + i], expected) << "feature " << i << " of " << dim;
        }
      }
    }
  });
}

TEST(SelectionCodes, TransposedHaveRowsAndFeaturesSwapped) {
  on_each_isa([] {
    for (const size_t rows : {0, 1, 63, 64, 65, 130}) {
      for (const size_t dim : {0, 1, 63, 64, 65, 200}) {
        const RandomCodes codes(rows, dim, 0.3, rows + dim);
        const RandomCodes transposed = codes.transposed();
        for (size_t row = 0; row < rows; ++row) {
          for (size_t i = 0; i < dim; ++i) ASSERT_EQ(codes.at(row, i), transposed.at(i, row));
        }
        for (size_t i = 0; i < dim && rows % 64 != 0; ++i) {
          ASSERT_EQ(transposed.bits[(i + 1) * code_words(rows) - 1] >> (rows % 64), 0u);
        }
      }
    }
  });
}

void expect_lists(size_t rows, size_t dim, double density) {
  RandomCodes codes(rows, dim, density, dim);
  const CodeLists lists = codes.lists();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t block = 0; block < code_blocks(dim); ++block) {
      std::vector<unsigned> expected;
      for (size_t i = block * kCodeBlock; i < std::min(dim, (block + 1) * kCodeBlock); ++i) {
        if (codes.at(row, i)) expected.push_back(static_cast<unsigned>(i - block * kCodeBlock));
      }
      const uint8_t* list = lists.list(block, row);
      ASSERT_THAT(std::vector<unsigned>(list, list + lists.count(block, row)),
                  ::testing::ElementsAreArray(expected));
    }
  }
}

TEST(CodeLists, NameTheOnesOfEachBlockInOrder) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 260; ++dim)
      expect_lists(2, dim, 0.05 * static_cast<double>(dim % 19));
    for (const double density : {0.0, 0.17, 1.0}) expect_lists(7, 512, density);
  });
}

void expect_bell(size_t rows, size_t dim, bool per_feature, double width) {
  const RandomRows x(rows * dim, 1), z(rows * dim, 2), thresholds(dim + 1, 3);
  std::vector<float> dx(rows * dim, 9.0f);
  surrogate_gradient(x.data(), z.data(), rows, dim, {thresholds.data(), per_feature},
                     static_cast<float>(width), dx.data());
  for (size_t i = 0; i < rows * dim; ++i) {
    const double tau = thresholds.data()[per_feature ? i % dim : 0];
    const double u = (x.data()[i] - tau) / width;
    const double bell = std::sqrt(2 / std::numbers::pi) / width * std::exp(-2 * u * u);
    // Four roundings, and those of the exponent, which is up to 32·width⁻².
    ASSERT_NEAR(dx[i], z.data()[i] * bell, 4e-6 / width)
        << "element " << i << " of width " << width;
  }
}

TEST(Surrogate, IsTheBellOfItsDefinitionForAllSizes) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 33; ++dim) {
      expect_bell(3, dim, /*per_feature=*/false, 1.0);
      expect_bell(3, dim, /*per_feature=*/true, 1.0);
      expect_bell(2, dim, /*per_feature=*/true, 0.5);
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
