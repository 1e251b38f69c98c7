#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "kernels/kernel_testing.h"
#include "kernels/rows/rows.h"

namespace eatt::kernels {
namespace {

// The hash of rows.h in plain arithmetic.
bool kept(uint64_t number, double rate, uint64_t seed) {
  const DropoutRow row = dropout_row(seed, number >> 16);
  uint32_t hash = static_cast<uint32_t>(number & 0xffff) + row.offset;
  hash = (hash ^ (hash >> 16)) * 0x21f0aaadu + row.key;
  hash = (hash ^ (hash >> 15)) * 0xd35a2d97u;
  return static_cast<double>(static_cast<int32_t>(hash)) >= std::round(rate * 0x1p32) - 0x1p31;
}

// 0 or 1 for each of `size` elements.
std::vector<float> mask_of(size_t size, double rate, uint64_t seed, uint64_t first = 0) {
  std::vector<float> ones(size, 1.0f);
  Dropout dropout{dropout_rate(rate), seed};
  dropout.rate.scale = 1;
  drop(ones.data(), size, dropout, first, ones.data());
  return ones;
}

double share(const std::vector<float>& mask) {
  double sum = 0;
  for (const float x : mask) sum += x;
  return sum / static_cast<double>(mask.size());
}

// How often two masks keep the same element, less what chance gives, in standard deviations.
double agreement(const std::vector<float>& a, const std::vector<float>& b, double rate) {
  double both = 0;
  for (size_t i = 0; i < a.size(); ++i) both += a[i] * b[i];
  const double expected = (1 - rate) * (1 - rate);
  const auto count = static_cast<double>(a.size());
  return (both - count * expected) / std::sqrt(count * expected * (1 - expected));
}

TEST(Dropout, KeepsAndScalesTheElementsThatTheHashNames) {
  on_each_isa([] {
    Random random(1);
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto x = Misaligned::random(size, random);
      Misaligned out(size, /*offset=*/3);
      // The number of the first element: the block of 65,536 ends inside the row.
      const uint64_t first = 65536 - 10;
      drop(x.data(), size, {dropout_rate(0.3), 77}, first, out.data());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_EQ(out[i], kept(first + i, 0.3, 77) ? x[i] * static_cast<float>(1 / 0.7) : 0.0f)
            << "element " << i << " of " << size;
      }
    }
  });
}

TEST(Dropout, InPlaceIsTheSame) {
  on_each_isa([] {
    Random random(2);
    auto x = Misaligned::random(100, random);
    Misaligned out(100);
    const Dropout dropout{dropout_rate(0.5), 5};
    drop(x.data(), 100, dropout, 0, out.data());
    drop(x.data(), 100, dropout, 0, x.data());
    EXPECT_EQ(x.copy(), out.copy());
  });
}

TEST(Dropout, PartsOfATensorMakeTheWhole) {
  const auto whole = mask_of(200'000, 0.1, 9);
  auto parts = mask_of(70'001, 0.1, 9);
  const auto rest = mask_of(129'999, 0.1, 9, /*first=*/70'001);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(parts, whole);
}

TEST(Dropout, RateIsMetOverAMillionElements) {
  for (const double rate : {1e-9, 0.01, 0.1, 0.3, 0.5, 0.9}) {
    const double found = share(mask_of(1'000'000, rate, 123));
    // Four standard deviations of a million coins.
    EXPECT_NEAR(found, 1 - rate, 4 * std::sqrt(rate * (1 - rate) / 1e6)) << "rate " << rate;
  }
}

TEST(Dropout, NeighbouringSeedsAreIndependent) {
  const auto first = mask_of(1'000'000, 0.1, 1000);
  for (uint64_t seed = 1001; seed < 1005; ++seed) {
    EXPECT_LT(std::abs(agreement(first, mask_of(1'000'000, 0.1, seed), 0.1)), 4.5) << seed;
  }
}

TEST(Dropout, NeighbouringElementsAndBlocksAreIndependent) {
  const auto mask = mask_of(1'200'000, 0.1, 31);
  for (const size_t distance : {1, 2, 3, 64, 128, 512, 65536, 65537, 131072}) {
    const std::vector<float> a(mask.begin(), mask.begin() + 1'000'000);
    const std::vector<float> b(mask.begin() + static_cast<std::ptrdiff_t>(distance),
                               mask.begin() + static_cast<std::ptrdiff_t>(distance) + 1'000'000);
    EXPECT_LT(std::abs(agreement(a, b, 0.1)), 4.5) << "distance " << distance;
  }
}

// Rows of an attention matrix are short; their offsets differ, and so must their masks.
TEST(Dropout, RowsOfOneSeedAreIndependent) {
  std::vector<float> even, odd;
  for (uint64_t row = 0; row < 20'000; ++row) {
    const auto mask = mask_of(50, 0.2, 8, row * 65536);
    auto& target = row % 2 == 0 ? even : odd;
    target.insert(target.end(), mask.begin(), mask.end());
  }
  EXPECT_NEAR(share(even), 0.8, 4 * std::sqrt(0.16 / 5e5));
  EXPECT_LT(std::abs(agreement(even, odd, 0.2)), 4.5);
}

// Same place in the sequence of hashes, other key: what happens when two rows' offsets collide.
TEST(Dropout, TheKeyAloneMakesAnotherMask) {
  const int32_t threshold = dropout_rate(0.2).threshold;
  const auto kept_with = [&](uint32_t place, uint32_t key) {
    uint32_t hash = (place ^ (place >> 16)) * 0x21f0aaadu + key;
    hash = (hash ^ (hash >> 15)) * 0xd35a2d97u;
    return static_cast<int32_t>(hash) > threshold;
  };
  constexpr uint32_t kPlaces = 100'000;
  for (uint64_t row = 0; row < 20; ++row) {
    const uint32_t one = dropout_row(1, row).key, other = dropout_row(2, row).key;
    int both = 0;
    for (uint32_t i = 0; i < kPlaces; ++i) both += kept_with(i, one) && kept_with(i, other);
    EXPECT_NEAR(both, 0.64 * kPlaces, 4.5 * std::sqrt(0.64 * 0.36 * kPlaces)) << row;
  }
}

TEST(Dropout, PlacesBeyondThirtyTwoBitsDoNotRepeat) {
  const auto low = mask_of(300'000, 0.1, 4);
  const auto high = mask_of(300'000, 0.1, 4, /*first=*/uint64_t{1} << 32);
  EXPECT_LT(std::abs(agreement(low, high, 0.1)), 4.5);
}

const Dropout kDropout{dropout_rate(0.3), 99};
constexpr uint64_t kFirst = 65536 - 7;  // A block of the mask ends inside the rows.

TEST(Residual, IsTheSumWithWhatDropoutKeeps) {
  on_each_isa([] {
    Random random(8);
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto x = Misaligned::random(size, random), delta = Misaligned::random(size, random);
      Misaligned dropped(size), out(size, /*offset=*/2);
      drop(delta.data(), size, kDropout, kFirst, dropped.data());
      add_dropped(x.data(), delta.data(), size, kDropout, kFirst, out.data());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(out[i], static_cast<double>(x[i]) + dropped[i], 1e-6);  // Sums up to 5.
      }
    }
  });
}

constexpr size_t kRows = 6;  // Once four together, and two more.

// A case of one width. With or without dropout.
struct Hidden {
  Hidden(size_t size, bool drops, Random& random)
      : rows{kRows, size, nullptr, drops ? &kDropout : nullptr, kFirst},
        bias(Misaligned::random(size, random)),
        x(Misaligned::random(kRows * size, random)),
        out(x) {
    rows.bias = bias.data();
    bias_relu_drop(rows, out.data());
  }
  double sum(size_t i) const { return static_cast<double>(x[i]) + bias[i % rows.width]; }

  HiddenRows rows;
  Misaligned bias, x, out;
};

TEST(BiasReluDropout, IsDropoutOfReluOfTheSum) {
  on_each_isa([] {
    Random random(9);
    for (size_t width = 0; width <= kLastSweepSize; ++width) {
      for (const bool drops : {false, true}) {
        const Hidden hidden(width, drops, random);
        Misaligned expected(kRows * width);
        for (size_t i = 0; i < expected.size(); ++i) {
          expected[i] = std::max(static_cast<float>(hidden.sum(i)), 0.0f);
        }
        if (drops) drop(expected.data(), expected.size(), kDropout, kFirst, expected.data());
        EXPECT_EQ(hidden.out.copy(), expected.copy()) << width;
      }
    }
  });
}

TEST(BiasReluDropout, GradientGoesWhereSomethingCameThrough) {
  on_each_isa([] {
    Random random(10);
    for (size_t width = 0; width <= kLastSweepSize; ++width) {
      for (const bool drops : {false, true}) {
        const Hidden hidden(width, drops, random);
        const auto incoming = Misaligned::random(kRows * width, random);
        Misaligned gradient(kRows * width, /*offset=*/2), bias(width, 3, 1.0f);
        bias_relu_drop_backward(hidden.rows, hidden.out.data(), incoming.data(), gradient.data(),
                                bias.data());
        Misaligned expected = incoming;
        if (drops) drop(expected.data(), expected.size(), kDropout, kFirst, expected.data());
        std::vector<double> sums(width, 1.0);  // What was there before stays.
        for (size_t i = 0; i < expected.size(); ++i) {
          if (hidden.sum(i) <= 0) expected[i] = 0;
          EXPECT_EQ(gradient[i], expected[i]);
          sums[i % width] += expected[i];
        }
        for (size_t i = 0; i < width; ++i) EXPECT_NEAR(bias[i], sums[i], 5e-6);  // Six additions.
      }
    }
  });
}

TEST(BiasReluDropout, NanIsNotHidden) {
  on_each_isa([] {
    std::vector<float> x(200, NAN), bias(200, 1.0f);
    bias_relu_drop({1, 200, bias.data(), &kDropout, 0}, x.data());
    for (const float value : x) EXPECT_TRUE(std::isnan(value) || value == 0);
    EXPECT_GT(std::ranges::count_if(x, [](float value) { return std::isnan(value); }), 100);
  });
}

}  // namespace
}  // namespace eatt::kernels
