#include <gmock/gmock.h>

#include <cmath>

#include "kernels/kernel_testing.h"
#include "kernels/rows/rows.h"

namespace eatt::kernels {
namespace {

// Beyond four vectors of float side by side.
constexpr size_t kLastSize = 5 * 16 + 1;

TEST(SquaredNorm, IsSummedInDouble) {
  on_each_isa([] {
    Random random(12);
    for (size_t size = 0; size <= kLastSize; ++size) {
      const auto x = Misaligned::random(size, random, -1e4f, 1e4f);
      double expected = 0;
      for (const float value : x) expected += static_cast<double>(value) * value;
      EXPECT_NEAR(squared_norm(x.data(), size), expected, 1e-14 * expected) << size;
    }
  });
}

TEST(AddRow, AddsAndReturnsTheNormOfTheSum) {
  on_each_isa([] {
    Random random(13);
    for (size_t size = 0; size <= kLastSize; ++size) {
      const auto from = Misaligned::random(size, random);
      auto to = Misaligned::random(size, random);
      std::vector<float> expected;
      double norm = 0;
      for (size_t i = 0; i < size; ++i) {
        expected.push_back(to[i] + from[i]);
        norm += static_cast<double>(expected[i]) * expected[i];
      }
      EXPECT_NEAR(add_row(from.data(), size, to.data()), norm, 1e-14 * norm) << size;
      EXPECT_EQ(to.copy(), expected) << size;
    }
  });
}

TEST(AdamUpdate, AgreesWithDouble) {
  on_each_isa([] {
    Random random(14);
    const AdamNumbers n{0.5f, 0.9f, 0.1f, 0.98f, 0.02f, 1e-9f, 0.01f, 1.5f};
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto g = Misaligned::random(size, random);
      auto m = Misaligned::random(size, random), p = Misaligned::random(size, random);
      auto v = Misaligned::random(size, random, 0.01f, 1);
      const auto m0 = m, v0 = v, p0 = p;
      adam_update(n, g.data(), size, {m.data(), v.data(), p.data()});
      for (size_t i = 0; i < size; ++i) {
        const double gradient = 0.5 * g[i];
        const double first = 0.9 * m0[i] + 0.1 * gradient;
        const double second = 0.98 * v0[i] + 0.02 * gradient * gradient;
        EXPECT_NEAR(m[i], first, 5e-7);  // A few roundings of numbers up to 2.
        EXPECT_NEAR(v[i], second, 2e-7);
        EXPECT_NEAR(p[i], p0[i] - 0.01 * first / (1.5 * std::sqrt(second) + 1e-9), 5e-7);
      }
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
