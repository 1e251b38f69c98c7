#include "kernels/residual.h"

#include <gmock/gmock.h>

#include <cmath>

#include "kernels/each_isa.h"
#include "kernels/misaligned.h"

namespace eatt::kernels {
namespace {

const Dropout kDropout{dropout_rate(0.3), 99};
constexpr uint64_t kFirst = 65536 - 7;  // A block of the mask ends inside the rows.

TEST(Residual, IsTheSumWithWhatDropoutKeeps) {
  on_each_isa([] {
    Random random(8);
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto x = Misaligned::random(size, random), change = Misaligned::random(size, random);
      Misaligned dropped(size), out(size, /*offset=*/2);
      drop(change.data(), size, kDropout, kFirst, dropped.data());
      add_dropped(x.data(), change.data(), size, kDropout, kFirst, out.data());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(out[i], static_cast<double>(x[i]) + dropped[i], 1e-6);  // Sums up to 5.
      }
    }
  });
}

TEST(ReluDropout, IsDropoutOfRelu) {
  on_each_isa([] {
    Random random(9);
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto x = Misaligned::random(size, random);
      Misaligned expected(size), out(size, /*offset=*/2);
      for (size_t i = 0; i < size; ++i) expected[i] = std::max(x[i], 0.0f);
      drop(expected.data(), size, kDropout, kFirst, expected.data());
      relu_drop(x.data(), size, kDropout, kFirst, out.data());
      EXPECT_EQ(out.copy(), expected.copy()) << size;
    }
  });
}

TEST(ReluDropout, GradientGoesWhereSomethingCameThrough) {
  on_each_isa([] {
    Random random(10);
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const auto x = Misaligned::random(size, random), incoming = Misaligned::random(size, random);
      Misaligned out(size), gradient(size, /*offset=*/2), expected(size);
      relu_drop(x.data(), size, kDropout, kFirst, out.data());
      relu_drop_backward(out.data(), incoming.data(), size, kDropout.rate.scale, gradient.data());
      drop(incoming.data(), size, kDropout, kFirst, expected.data());
      for (size_t i = 0; i < size; ++i) EXPECT_EQ(gradient[i], x[i] > 0 ? expected[i] : 0.0f);
    }
  });
}

TEST(ReluDropout, NanIsNotHidden) {
  on_each_isa([] {
    std::vector<float> x(200, NAN);
    relu_drop(x.data(), x.size(), kDropout, 0, x.data());
    for (const float value : x) EXPECT_TRUE(std::isnan(value) || value == 0);
    EXPECT_GT(std::ranges::count_if(x, [](float value) { return std::isnan(value); }), 100);
  });
}

}  // namespace
}  // namespace eatt::kernels
