#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "kernels/kernel_testing.h"
#include "kernels/products/products.h"

namespace eatt::kernels {
namespace {

using ::testing::ElementsAreArray;

struct Sizes {
  size_t rows, in, out;
  bool with_bias = true;
  Activation activation = Activation::none;
};

// A matrix of random weights with its panels.
struct PackedFloats {
  PackedFloats(size_t in, size_t out, bool with_bias, uint64_t seed = 1)
      : weight(in * out, seed), bias(out, seed + 1), panels(float_panels_size(in, out)) {
    pack_float_panels(weight.data(), in, out, panels.data());
    matrix = {in, out, panels.data(), with_bias ? bias.data() : nullptr};
  }
  RandomRows weight, bias;
  AlignedMemory<float> panels;
  FloatMatrix matrix;
};

double expected_number(const PackedFloats& packed, const float* x, size_t column,
                       Activation activation) {
  const size_t in = packed.matrix.in;
  double sum = packed.matrix.bias == nullptr ? 0.0 : packed.bias[column];
  for (size_t i = 0; i < in; ++i) {
    sum += static_cast<double>(x[i]) * static_cast<double>(packed.weight[column * in + i]);
  }
  return activation == Activation::relu ? std::max(sum, 0.0) : sum;
}

void expect_product(const Sizes& sizes) {
  const PackedFloats packed(sizes.in, sizes.out, sizes.with_bias);
  const size_t x_stride = sizes.in + 3, stride = sizes.out + sizes.out % 3;
  // The last row ends with the memory, as a sanitizer would tell.
  const size_t x_size = sizes.rows == 0 ? 0 : (sizes.rows - 1) * x_stride + sizes.in;
  const size_t y_size = sizes.rows == 0 ? 0 : (sizes.rows - 1) * stride + sizes.out;
  const RandomRows x(x_size, 7);
  Misaligned y(y_size, 1, -77.0f);
  float_product(packed.matrix, x.data(), x_stride, sizes.rows,
                {y.data(), stride, sizes.activation});
  // Products of up to 4, and every addition may round a partial sum of about twice their root.
  const double tolerance = 1e-6 * static_cast<double>(sizes.in + 1);
  for (size_t i = 0; i < y_size; ++i) {
    const size_t row = i / stride, column = i % stride;
    const double expected = column < sizes.out ? expected_number(packed, x.data() + row * x_stride,
                                                                 column, sizes.activation)
                                               : -77.0;
    ASSERT_NEAR(y[i], expected, tolerance)
        << "row " << row << " of " << sizes.rows << ", in " << sizes.in << ", output " << column
        << " of " << sizes.out;
  }
}

TEST(FloatProduct, IsTheProductForAllSizes) {
  on_each_isa([] {
    for (size_t out = 0; out <= 140; ++out) expect_product({1 + out % 3, 9, out, out % 2 == 0});
    for (size_t in = 0; in <= kLastSweepSize; ++in) expect_product({2, in, 35, in % 2 == 1});
    for (size_t rows = 0; rows <= 40; ++rows) {
      expect_product({rows, 21, 70, true, rows % 2 == 0 ? Activation::relu : Activation::none});
    }
    expect_product({13, 515, 131});
    expect_product({1, 2048, 64});
  });
}

TEST(FloatProduct, IsTheSameBitsForARowWhateverRowsStandBesideIt) {
  on_each_isa([] {
    constexpr size_t kIn = 133, kOut = 161;
    const PackedFloats packed(kIn, kOut, true);
    for (const size_t rows : {1, 2, 3, 4, 7, 12, 13, 16, 33, 64}) {
      const RandomRows x(rows * kIn, rows);
      std::vector<float> together(rows * kOut), alone(rows * kOut);
      float_product(packed.matrix, x.data(), kIn, rows, {together.data(), kOut});
      for (size_t r = 0; r < rows; ++r) {
        float_product(packed.matrix, x.data() + r * kIn, kIn, 1, {alone.data() + r * kOut, kOut});
      }
      ASSERT_THAT(together, ElementsAreArray(alone)) << rows << " rows";
    }
  });
}

TEST(FloatProduct, IsTheSameBitsForAColumnWhateverColumnsStandBesideIt) {
  on_each_isa([] {
    constexpr size_t kIn = 77, kOut = 300;
    const PackedFloats packed(kIn, kOut, true);
    for (const size_t count : {0, 1, 5, 31, 32, 33, 64, 129}) {
      std::vector<int32_t> columns(count);
      for (size_t c = 0; c < count; ++c) columns[c] = static_cast<int32_t>((c * 131 + 5) % kOut);
      AlignedMemory<float> panels(float_panels_size(kIn, count));
      gather_float_panels(packed.matrix, columns, panels.data());
      std::vector<float> bias(count);
      for (size_t c = 0; c < count; ++c) bias[c] = packed.bias[static_cast<size_t>(columns[c])];
      const FloatMatrix few = {kIn, count, panels.data(), bias.data()};
      for (const size_t rows : {1, 2, 5, 30}) {
        const RandomRows x(rows * kIn, rows);
        std::vector<float> all(rows * kOut), some(rows * count);
        float_product(packed.matrix, x.data(), kIn, rows, {all.data(), kOut});
        float_product(few, x.data(), kIn, rows, {some.data(), count});
        for (size_t i = 0; i < some.size(); ++i) {
          ASSERT_EQ(some[i], all[i / count * kOut + static_cast<size_t>(columns[i % count])]);
        }
      }
    }
  });
}

TEST(FloatProduct, KeepsNaNWithAndWithoutRelu) {
  on_each_isa([] {
    const PackedFloats packed(5, 40, false);
    RandomRows x(2 * 5, 3);
    x[7] = std::numeric_limits<float>::quiet_NaN();
    for (const auto activation : {Activation::none, Activation::relu}) {
      std::vector<float> y(2 * 40);
      float_product(packed.matrix, x.data(), 5, 2, {y.data(), 40, activation});
      for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(std::isnan(y[i]), i >= 40) << i;
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
