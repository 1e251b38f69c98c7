#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "kernels/each_isa.h"
#include "kernels/misaligned.h"
#include "kernels/rows/dropout.h"

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
