#include "kernels/products/dense_product.h"

#include <cmath>

#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

struct Sizes {
  size_t rows, depth, columns;
  bool a_transposed = false, b_transposed = false, with_bias = false, accumulate = false;
};

// A random matrix [rows, columns], or its transpose in memory, with gaps between rows; it ends with
// its allocation.
struct RandomFactor {
  RandomFactor(size_t rows, size_t columns, bool transposed, uint64_t seed)
      : lines(transposed ? columns : rows),
        width(transposed ? rows : columns),
        numbers(lines == 0 ? 0 : (lines - 1) * (width + 3) + width, seed),
        factor{numbers.data(), width + 3, transposed} {}
  double at(size_t row, size_t column) const {
    return factor.transposed ? numbers[column * factor.stride + row]
                             : numbers[row * factor.stride + column];
  }
  size_t lines, width;
  RandomRows numbers;
  Factor factor;
};

void expect_product(const Sizes& sizes) {
  const auto [rows, depth, columns, a_transposed, b_transposed, with_bias, accumulate] = sizes;
  const RandomFactor a(rows, depth, a_transposed, 1), b(depth, columns, b_transposed, 2);
  const RandomRows bias(columns, 3);
  AlignedMemory<float> packed(packed_factor_size(depth, columns));
  pack_factor(b.factor, depth, columns, packed.data());
  const size_t stride = columns + 2;
  Misaligned out(rows == 0 ? 0 : (rows - 1) * stride + columns, 1, 0.5f);
  dense_product({.depth = depth,
                 .columns = columns,
                 .packed = packed.data(),
                 .bias = with_bias ? bias.data() : nullptr,
                 .accumulate = accumulate},
                a.factor, rows, out.data(), stride);
  // Products of up to 4, and every addition may round a partial sum of about twice their root.
  const double tolerance = 1e-6 * static_cast<double>(depth + 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t row = i / stride, column = i % stride;
    double expected = 0.5;
    if (column < columns) {
      expected = (with_bias ? bias[column] : 0.0) + (accumulate ? 0.5 : 0.0);
      for (size_t k = 0; k < depth; ++k) expected += a.at(row, k) * b.at(k, column);
    }
    ASSERT_NEAR(out[i], expected, tolerance)
        << "row " << row << " of " << rows << ", depth " << depth << ", column " << column << " of "
        << columns << (a_transposed ? ", a transposed" : "")
        << (b_transposed ? ", b transposed" : "");
  }
}

void expect_all_forms(size_t rows, size_t depth, size_t columns) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      expect_product({rows, depth, columns, a_transposed, b_transposed, a_transposed,
                      a_transposed != b_transposed});
    }
  }
}

TEST(DenseProduct, IsTheProductForAllSizes) {
  on_each_isa([] {
    for (size_t columns = 0; columns <= 70; ++columns)
      expect_all_forms(1 + columns % 3, 9, columns);
    for (size_t depth = 0; depth <= kLastSweepSize; ++depth) expect_all_forms(2, depth, 35);
    for (size_t rows = 0; rows <= 40; ++rows) expect_all_forms(rows, 21, 70);
  });
}

TEST(DenseProduct, AddsUpSeveralBlocksOfDepthAndColumns) {
  on_each_isa([] {
    expect_all_forms(7, 513, 37);
    expect_all_forms(13, 1100, 129);
    expect_all_forms(3, 129, 1030);
  });
}

TEST(DenseProduct, IsTheSameBitsForARowWhateverRowsStandBesideIt) {
  on_each_isa([] {
    constexpr size_t kRows = 29, kDepth = 600, kColumns = 50;
    const RandomFactor a(kRows, kDepth, false, 1), b(kDepth, kColumns, false, 2);
    AlignedMemory<float> packed(packed_factor_size(kDepth, kColumns));
    pack_factor(b.factor, kDepth, kColumns, packed.data());
    const DenseProduct product = {.depth = kDepth, .columns = kColumns, .packed = packed.data()};
    std::vector<float> all(kRows * kColumns), alone(kColumns);
    dense_product(product, a.factor, kRows, all.data(), kColumns);
    for (size_t row = 0; row < kRows; ++row) {
      const Factor one = {a.factor.data + row * a.factor.stride, a.factor.stride};
      dense_product(product, one, 1, alone.data(), kColumns);
      for (size_t c = 0; c < kColumns; ++c) ASSERT_EQ(alone[c], all[row * kColumns + c]) << row;
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
