#include "kernels/selection/selection_int8.h"

#include <gmock/gmock.h>

#include <cmath>

#include "kernels/kernel_testing.h"
#include "kernels/random_codes.h"

namespace eatt::kernels {
namespace {

struct Sizes {
  size_t rows;
  size_t in;
  size_t out;
  bool with_bias = true;
  double density = 0.3;
  Joining joining = Joining::start;
};

std::vector<int8_t> random_weights(size_t size, int range) {
  Random random(3);
  std::vector<int8_t> weights(size);
  for (int8_t& weight : weights)
    weight = static_cast<int8_t>(std::floor((2 * random.uniform() - 1) * range));
  return weights;
}

void expect_selection(const Sizes& sizes, const Int8Packing& packing) {
  RandomCodes codes(sizes.rows, sizes.in, sizes.density, sizes.in + sizes.out);
  const auto weight = random_weights(sizes.in * sizes.out, packing.seven_bits ? 64 : 128);
  std::vector<int16_t> biases(sizes.out);
  for (size_t o = 0; o < sizes.out; ++o) biases[o] = static_cast<int16_t>(31 * o - 3000);
  const int16_t* bias = sizes.with_bias ? biases.data() : nullptr;
  // One byte after an aligned address: whatever the caller has must do.
  std::vector<uint8_t> packed(selection_int8_size(sizes.in, sizes.out) + 1);
  pack_selection_int8(weight.data(), sizes.in, sizes.out, packing, packed.data() + 1);
  const size_t stride = sizes.out + sizes.out % 3;
  std::vector<int16_t> result(sizes.rows * stride, 7);
  select_int8(codes.lists(), packed.data() + 1, packing, sizes.out, bias, result.data(), stride,
              sizes.joining);
  for (size_t row = 0; row < sizes.rows; ++row) {
    for (size_t o = 0; o < stride; ++o) {
      const bool starts = sizes.joining == Joining::start && o < sizes.out;
      int expected = starts ? (bias == nullptr ? 0 : bias[o]) : 7;
      const int sign = sizes.joining == Joining::subtract ? -1 : 1;
      for (size_t i = 0; i < sizes.in && o < sizes.out; ++i) {
        if (codes.at(row, i)) expected += sign * weight[o * sizes.in + i];
      }
      ASSERT_EQ(result[row * stride + o], expected)
          << "row " << row << " of " << sizes.rows << ", in " << sizes.in << ", output " << o
          << " of " << sizes.out;
    }
  }
}

void expect_all_packings(const Sizes& sizes) {
  for (const auto layout : {Int8Layout::panels, Int8Layout::rows}) {
    for (const bool seven_bits : {false, true}) expect_selection(sizes, {layout, seven_bits});
  }
}

TEST(SelectionInt8, IsExactForAllSizes) {
  on_each_isa([] {
    for (size_t out = 0; out <= 135; ++out) expect_all_packings({2, 19, out, out % 2 == 0});
    for (size_t in = 0; in <= 40; ++in) expect_all_packings({3, in, 66, in % 2 == 1});
    for (size_t rows = 0; rows <= 5; ++rows) expect_all_packings({rows, 130, 70});
    for (const size_t out : {256, 257, 320, 448, 512, 600}) expect_all_packings({3, 140, out});
    for (const size_t in : {127, 128, 129, 300}) expect_all_packings({4, in, 128});
  });
}

TEST(SelectionInt8, IsAddedToTheResultOrSubtractedFromIt) {
  on_each_isa([] {
    for (const Joining joining : {Joining::add, Joining::subtract}) {
      for (const size_t out : {1, 7, 64, 70, 130, 300}) {
        for (const size_t in : {0, 5, 128, 150}) {
          expect_all_packings({.rows = 3, .in = in, .out = out, .joining = joining});
        }
      }
    }
  });
}

TEST(SelectionInt8, OfNothingIsTheBiasAndOfAllIsTheSum) {
  on_each_isa([] {
    expect_all_packings({.rows = 3, .in = 200, .out = 90, .density = 0.0});
    expect_all_packings({.rows = 3, .in = 200, .out = 90, .density = 1.0});
  });
}

TEST(SelectionInt8, ReachesTheEndsOfSixteenBits) {
  on_each_isa([] {
    constexpr size_t kIn = 256, kOut = 64;
    std::vector<int8_t> weight(kIn * kOut);
    for (size_t i = 0; i < weight.size(); ++i) weight[i] = i / kIn % 2 == 0 ? 127 : -127;
    const std::vector<int16_t> bias(kOut, 0);
    RandomCodes codes(1, kIn, 1.0, 1);
    for (const auto layout : {Int8Layout::panels, Int8Layout::rows}) {
      std::vector<uint8_t> packed(selection_int8_size(kIn, kOut));
      pack_selection_int8(weight.data(), kIn, kOut, {layout}, packed.data());
      std::vector<int16_t> result(kOut);
      select_int8(codes.lists(), packed.data(), {layout}, kOut, bias.data(), result.data(), kOut);
      for (size_t o = 0; o < kOut; ++o) EXPECT_EQ(result[o], o % 2 == 0 ? 32512 : -32512);
    }
  });
}

TEST(SelectionInt8, UnpacksWhatItPacked) {
  for (const Int8Layout layout : {Int8Layout::panels, Int8Layout::rows}) {
    for (const bool seven_bits : {false, true}) {
      for (const auto& [in, out] : {std::pair<size_t, size_t>{1, 1}, {3, 64}, {5, 300}, {7, 577}}) {
        const auto weight = random_weights(in * out, seven_bits ? 64 : 128);
        std::vector<uint8_t> packed(selection_int8_size(in, out));
        pack_selection_int8(weight.data(), in, out, {layout, seven_bits}, packed.data());
        std::vector<int8_t> unpacked(in * out);
        unpack_selection_int8(packed.data(), in, out, {layout, seven_bits}, unpacked.data());
        EXPECT_EQ(unpacked, weight) << in << " inputs, " << out << " outputs";
      }
    }
  }
}

}  // namespace
}  // namespace eatt::kernels
