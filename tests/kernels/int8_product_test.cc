#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_testing.h"
#include "kernels/packed_int8.h"
#include "kernels/products/products.h"

namespace eatt::kernels {
namespace {

using ::testing::ElementsAreArray;

struct Sizes {
  size_t rows, in, out;
  bool with_bias = true;
  Activation activation = Activation::none;
};

int64_t exact_sum(const PackedInt8& packed, const QuantizedRows& x, size_t row, size_t column) {
  const size_t in = packed.matrix.in;
  int64_t sum = 0;
  for (size_t i = 0; i < in; ++i) {
    sum += (x.values[row * x.stride + i] - 128) * packed.weight[column * in + i];
  }
  return sum;
}

// The contract in plain floats: every operation rounds once, so results are equal, not close.
float expected_number(const PackedInt8& packed, const QuantizedRows& x, size_t row, size_t column,
                      Activation activation) {
  const volatile float product =
      static_cast<float>(exact_sum(packed, x, row, column)) * x.scales[row];
  const volatile float scaled = product * packed.scales[column];
  const float y = scaled + (packed.matrix.bias == nullptr ? 0.0f : packed.bias[column]);
  return activation == Activation::relu && y < 0 ? 0.0f : y;
}

void expect_product(const PackedInt8& packed, const QuantizedRows& x, Activation activation) {
  const size_t out = packed.matrix.out, stride = out + out % 3;
  const size_t y_size = x.rows == 0 ? 0 : (x.rows - 1) * stride + out;
  Misaligned y(y_size, 1, -77.0f);
  int8_product(packed.matrix, x, {y.data(), stride, activation});
  for (size_t i = 0; i < y_size; ++i) {
    const size_t row = i / stride, column = i % stride;
    const float expected =
        column < out ? expected_number(packed, x, row, column, activation) : -77.0f;
    ASSERT_EQ(y[i], expected) << "row " << row << " of " << x.rows << ", in " << packed.matrix.in
                              << ", output " << column << " of " << out;
  }
}

void expect_product(const Sizes& sizes) {
  const PackedInt8 packed(sizes.in, sizes.out, sizes.with_bias, sizes.in);
  const ByteRows x(sizes.rows, sizes.in, sizes.rows + 1);
  expect_product(packed, x.rows, sizes.activation);
}

TEST(Int8Product, IsExactForAllSizes) {
  on_each_isa([] {
    for (size_t out = 0; out <= 131; ++out) {
      expect_product({1 + out % 2, 19, out, out % 2 == 0});
      if (out % 16 <= 1) expect_product({18, 19, out, out % 2 == 1});
    }
    for (size_t in = 0; in <= 131; ++in) {
      expect_product({1, in, 66, in % 2 == 1});
      expect_product({7, in, 66, in % 2 == 0});
    }
    for (size_t rows = 0; rows <= 50; ++rows) {
      expect_product({rows, 70, 67, true, rows % 2 == 0 ? Activation::relu : Activation::none});
    }
    expect_product({35, 516, 200});
    expect_product({300, 65, 70});
    expect_product({18, 5000, 66});  // Long rows, which are taken in smaller blocks.
  });
}

TEST(Int8Product, IsExactForTheLargestNumbers) {
  constexpr size_t kIn = 4096, kOut = 66;
  const auto weight = [](int low, int high) {
    std::vector<int8_t> numbers(kIn * kOut);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int8_t>(i / kIn % 2 == 0 ? low : high);
    }
    return numbers;
  };
  on_each_isa([&] {
    for (const auto& [low, high] : {std::pair{-127, 127}, std::pair{127, 127}}) {
      const PackedInt8 packed(kIn, kOut, false, weight(low, high));
      for (const size_t rows : {1, 2, 17}) {
        ByteRows x(rows, kIn, 5);
        for (size_t i = 0; i < rows * kIn; ++i) {
          x.values.data()[i] = i / kIn % 3 == 0 ? 1 : i / kIn % 3 == 1 ? 255 : i % 2 == 0 ? 1 : 255;
        }
        expect_product(packed, x.rows, Activation::none);
      }
    }
  });
}

TEST(Int8Product, UnpacksTheWeightsThatWerePacked) {
  for (const auto& [in, out] : {std::pair<size_t, size_t>{1, 1}, {4, 64}, {7, 65}, {130, 200}}) {
    const PackedInt8 packed(in, out, /*with_bias=*/false);
    std::vector<int8_t> weight(in * out);
    unpack_int8_panels(packed.matrix.panels, in, out, weight.data());
    EXPECT_EQ(weight, packed.weight) << in << " inputs, " << out << " outputs";
  }
}

TEST(Int8Product, IsTheSameBitsForARowWhateverRowsStandBesideIt) {
  on_each_isa([] {
    constexpr size_t kIn = 200, kOut = 161;
    const PackedInt8 packed(kIn, kOut, true);
    for (const size_t rows : {1, 3, 7, 16, 33, 64}) {
      const RandomRows x(rows * kIn, rows);
      AlignedMemory<uint8_t> values(quantized_rows_size(rows, kIn));
      AlignedMemory<uint8_t> one(quantized_rows_size(1, kIn));
      std::vector<float> scales(rows), together(rows * kOut), alone(rows * kOut);
      const auto all = quantize_rows(x.data(), kIn, rows, kIn, values.data(), scales.data());
      int8_product(packed.matrix, all, {together.data(), kOut});
      for (size_t r = 0; r < rows; ++r) {
        const auto row = quantize_rows(x.data() + r * kIn, kIn, 1, kIn, one.data(), scales.data());
        int8_product(packed.matrix, row, {alone.data() + r * kOut, kOut});
      }
      ASSERT_THAT(together, ElementsAreArray(alone)) << rows << " rows";
    }
  });
}

TEST(Int8Product, IsTheSameBitsForAColumnWhateverColumnsStandBesideIt) {
  on_each_isa([] {
    constexpr size_t kIn = 77, kOut = 300;
    const PackedInt8 packed(kIn, kOut, true);
    for (const size_t count : {0, 1, 5, 63, 64, 65, 129}) {
      std::vector<int32_t> columns(count);
      for (size_t c = 0; c < count; ++c) columns[c] = static_cast<int32_t>((c * 131 + 5) % kOut);
      AlignedMemory<int8_t> panels(int8_panels_size(kIn, count));
      std::vector<int32_t> sums(int8_padded_columns(count), -1);
      std::vector<float> scales(count), bias(count);
      gather_int8_panels(packed.matrix, columns,
                         {panels.data(), sums.data(), scales.data(), bias.data()});
      const Int8Matrix few = {kIn, count, panels.data(), sums.data(), scales.data(), bias.data()};
      for (const size_t rows : {1, 5, 30}) {
        const ByteRows x(rows, kIn, rows);
        std::vector<float> all(rows * kOut), some(rows * count);
        int8_product(packed.matrix, x.rows, {all.data(), kOut});
        int8_product(few, x.rows, {some.data(), count});
        for (size_t i = 0; i < some.size(); ++i) {
          ASSERT_EQ(some[i], all[i / count * kOut + static_cast<size_t>(columns[i % count])]);
        }
      }
    }
  });
}

TEST(Int8Product, OfARowWithNaNIsNaNInThatRowAlone) {
  on_each_isa([] {
    constexpr size_t kIn = 70, kOut = 40, kRows = 20;
    const PackedInt8 packed(kIn, kOut, true);
    RandomRows x(kRows * kIn, 3);
    x[7 * kIn + 69] = std::numeric_limits<float>::quiet_NaN();
    AlignedMemory<uint8_t> values(quantized_rows_size(kRows, kIn));
    std::vector<float> scales(kRows), y(kRows * kOut);
    const auto rows = quantize_rows(x.data(), kIn, kRows, kIn, values.data(), scales.data());
    int8_product(packed.matrix, rows, {y.data(), kOut, Activation::relu});
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(std::isnan(y[i]), i / kOut == 7) << i;
  });
}

}  // namespace
}  // namespace eatt::kernels
