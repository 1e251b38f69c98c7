#include "kernels/selection/selection.h"

#include <gmock/gmock.h>

#include "kernels/kernel_testing.h"
#include "kernels/random_codes.h"

namespace eatt::kernels {
namespace {

using Select = void (*)(const CodeLists&, const float*, size_t, const float*, float*, size_t,
                        Joining) noexcept;

struct Sizes {
  size_t rows;
  size_t in;
  size_t out;
  bool with_bias = true;
  double density = 0.3;
  Joining joining = Joining::start;
};

// The definition, in double.
double selected(const RandomCodes& codes, size_t row, const float* weight, const float* bias,
                size_t out) {
  double sum = bias == nullptr ? 0 : bias[out];
  for (size_t i = 0; i < codes.dim; ++i) {
    if (codes.at(row, i)) sum += weight[out * codes.dim + i];
  }
  return sum;
}

void expect_selection(const Sizes& sizes, Select select, const float* packed, const float* weight) {
  RandomCodes codes(sizes.rows, sizes.in, sizes.density, sizes.rows + sizes.in);
  const RandomRows biases(sizes.out, 2);
  const float* bias = sizes.with_bias ? biases.data() : nullptr;
  const size_t stride = sizes.out + sizes.out % 3;
  std::vector<float> result(sizes.rows * stride, 7.0f);
  select(codes.lists(), packed, sizes.out, bias, result.data(), stride, sizes.joining);
  const auto joined = [&](double sum) {
    return sizes.joining == Joining::start ? sum
                                           : 7.0 + (sizes.joining == Joining::add ? sum : -sum);
  };
  if (sizes.joining != Joining::start) bias = nullptr;  // It is not read.
  for (size_t row = 0; row < sizes.rows; ++row) {
    for (size_t o = 0; o < stride; ++o) {
      const double expected = o < sizes.out ? joined(selected(codes, row, weight, bias, o)) : 7.0;
      // Up to `in` floats of size about 1.
      ASSERT_NEAR(result[row * stride + o], expected, 1e-6 * static_cast<double>(sizes.in + 1))
          << "row " << row << " of " << sizes.rows << ", in " << sizes.in << ", output " << o
          << " of " << sizes.out;
    }
  }
}

void expect_both_layouts(const Sizes& sizes) {
  const RandomRows weight(sizes.in * sizes.out, 1);
  RandomRows panels(selection_panels_size(sizes.in, sizes.out), 3);
  pack_selection_panels(weight.data(), sizes.in, sizes.out, panels.data());
  expect_selection(sizes, select_from_panels, panels.data(), weight.data());
  RandomRows rows(sizes.in * sizes.out, 4);
  pack_selection_rows(weight.data(), sizes.in, sizes.out, rows.data());
  expect_selection(sizes, select_from_rows, rows.data(), weight.data());
}

TEST(Selection, AddsTheChosenRowsForAllSizes) {
  on_each_isa([] {
    for (size_t out = 0; out <= 70; ++out) expect_both_layouts({2, 19, out, out % 2 == 0});
    for (size_t in = 0; in <= 40; ++in) expect_both_layouts({3, in, 17, in % 2 == 1});
    for (size_t rows = 0; rows <= 9; ++rows) expect_both_layouts({rows, 130, 66});
    for (const size_t in : {127, 128, 129, 256, 300}) expect_both_layouts({4, in, 128});
    expect_both_layouts({2, 40, 600});
  });
}

TEST(Selection, IsAddedToTheResultOrSubtractedFromIt) {
  on_each_isa([] {
    for (const Joining joining : {Joining::add, Joining::subtract}) {
      for (const size_t out : {1, 7, 64, 70, 130}) {
        for (const size_t in : {0, 5, 128, 150}) {
          expect_both_layouts({.rows = 3, .in = in, .out = out, .joining = joining});
        }
      }
    }
  });
}

TEST(Selection, OfNothingIsTheBiasAndOfAllIsTheSum) {
  on_each_isa([] {
    expect_both_layouts({.rows = 3, .in = 200, .out = 90, .density = 0.0});
    expect_both_layouts({.rows = 3, .in = 200, .out = 90, .density = 1.0});
  });
}

TEST(Selection, GivesWayToADenseProductWhenHalfOfTheCodesAreOne) {
  for (const size_t rows : {1, 4, 32, 2048}) {
    EXPECT_TRUE(selection_is_sparse_enough(0.17, rows));
    EXPECT_FALSE(selection_is_sparse_enough(0.6, rows));
  }
}

void expect_gradient(const Sizes& sizes) {
  const RandomCodes codes(sizes.rows, sizes.in, sizes.density, sizes.rows + sizes.in);
  const size_t stride = sizes.out + sizes.rows % 3;
  const RandomRows d_result(sizes.rows * stride, 5);
  RandomRows d_weight(sizes.in * sizes.out, 6);
  std::vector<float> scratch(selection_weight_gradient_scratch(sizes.in));
  RandomCodes transposed = codes.transposed();
  selection_weight_gradient(transposed.lists(), d_result.data(), stride, sizes.out, d_weight.data(),
                            scratch.data());
  for (size_t o = 0; o < sizes.out; ++o) {
    for (size_t i = 0; i < sizes.in; ++i) {
      const size_t at = o * sizes.in + i;
      double expected = 0;
      for (size_t row = 0; row < sizes.rows; ++row) {
        if (codes.at(row, i)) expected += d_result.data()[row * stride + o];
      }
      // Up to `rows` floats of size about 1.
      ASSERT_NEAR(d_weight.data()[at], expected, 1e-6 * static_cast<double>(sizes.rows + 2))
          << "output " << o << " of " << sizes.out << ", in " << i << " of " << sizes.in
          << ", rows " << sizes.rows;
    }
  }
}

TEST(SelectionGradient, SumsTheRowsWhereACodeIsOneForAllSizes) {
  on_each_isa([] {
    for (size_t out = 0; out <= 70; ++out) expect_gradient({9, 5, out});
    for (size_t in = 0; in <= 40; ++in) expect_gradient({11, in, 9});
    for (size_t rows = 0; rows <= 9; ++rows) expect_gradient({rows, 33, 65});
    for (const size_t rows : {127, 128, 129, 300}) expect_gradient({rows, 20, 64});
  });
}

TEST(SelectionGradient, OfTheBiasIsTheSumOfTheColumns) {
  on_each_isa([] {
    for (size_t columns = 0; columns <= 40; ++columns) {
      const size_t rows = columns % 6, stride = columns + columns % 3;
      const RandomRows matrix(rows * stride, 7);
      RandomRows sums(columns, 9);
      column_sums(matrix.data(), stride, rows, columns, sums.data());
      for (size_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (size_t row = 0; row < rows; ++row) sum += matrix.data()[row * stride + c];
        ASSERT_NEAR(sums.data()[c], sum, 1e-5);  // Five floats below 2.
      }
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
