#include <gmock/gmock.h>

#include <cmath>

#include "kernels/kernel_testing.h"
#include "kernels/rows/rows.h"

namespace eatt::kernels {
namespace {

constexpr size_t kRows = 3;
constexpr float kEpsilon = 1e-5f;

// A case of one width, with room for all results.
struct Case {
  Case(size_t size, Random& random, float low = -2, float high = 2)
      : width(size),
        x(Misaligned::random(kRows * width, random, low, high)),
        gain(Misaligned::random(width, random)),
        bias(Misaligned::random(width, random)),
        incoming(Misaligned::random(kRows * width, random)),
        out(kRows * width),
        mean(kRows),
        inverse(kRows),
        dx(kRows * width),
        dgain(width, 1, 10.0f),
        dbias(width, 1, 20.0f) {}

  LayerNormRows rows() const {
    return {x.data(), kRows, width, gain.data(), bias.data(), kEpsilon};
  }
  void run() {
    const RowMoments moments{mean.data(), inverse.data()};
    layer_norm(rows(), out.data(), moments);
    layer_norm_backward(rows(), moments, incoming.data(), {dx.data(), dgain.data(), dbias.data()});
  }

  size_t width;
  Misaligned x, gain, bias, incoming;
  Misaligned out, mean, inverse, dx, dgain, dbias;
};

struct Moments {
  double mean = 0, inverse = 0;
};

Moments twin_moments(const float* x, size_t width) {
  Moments m;
  double variance = 0;
  for (size_t i = 0; i < width; ++i) m.mean += x[i] / static_cast<double>(width);
  for (size_t i = 0; i < width; ++i) {
    variance += (x[i] - m.mean) * (x[i] - m.mean) / static_cast<double>(width);
  }
  m.inverse = 1 / std::sqrt(variance + static_cast<double>(kEpsilon));
  return m;
}

void expect_twin(const Case& c) {
  std::vector<double> dgain(c.width, 10.0), dbias(c.width, 20.0);  // What was there before stays.
  for (size_t r = 0; r < kRows; ++r) {
    const float* x = c.x.data() + r * c.width;
    const float* incoming = c.incoming.data() + r * c.width;
    const auto [mean, inverse] = twin_moments(x, c.width);
    double mean_g = 0, mean_gn = 0;
    for (size_t i = 0; i < c.width; ++i) {
      const double n = (x[i] - mean) * inverse, g = static_cast<double>(incoming[i]) * c.gain[i];
      mean_g += g / static_cast<double>(c.width);
      mean_gn += g * n / static_cast<double>(c.width);
      dgain[i] += incoming[i] * n;
      dbias[i] += incoming[i];
    }
    // Sums of up to 67 floats, divided by deviations down to some hundredths of the numbers.
    for (size_t i = 0; i < c.width; ++i) {
      const double n = (x[i] - mean) * inverse, g = static_cast<double>(incoming[i]) * c.gain[i];
      EXPECT_NEAR(c.out[r * c.width + i], n * c.gain[i] + c.bias[i], 1e-5);
      EXPECT_NEAR(c.dx[r * c.width + i], inverse * (g - mean_g - n * mean_gn),
                  2e-5 * std::max(1.0, inverse));
    }
  }
  for (size_t i = 0; i < c.width; ++i) {
    EXPECT_NEAR(c.dgain[i], dgain[i], 2e-5);
    EXPECT_NEAR(c.dbias[i], dbias[i], 2e-5);
  }
}

TEST(LayerNorm, AgreesWithDoubleForAllWidths) {
  on_each_isa([] {
    Random random(4);
    for (size_t width = 2; width <= 67; ++width) {
      SCOPED_TRACE(width);
      Case c(width, random);
      c.run();
      expect_twin(c);
    }
  });
}

TEST(LayerNorm, OneNumberBecomesItsBias) {
  on_each_isa([] {
    Random random(5);
    Case c(1, random);
    c.run();
    for (size_t r = 0; r < kRows; ++r) {
      EXPECT_EQ(c.out[r], c.bias[0]);
      EXPECT_EQ(c.dx[r], 0.0f);
    }
  });
}

TEST(LayerNorm, AMeanFarFromZeroDoesNotSpoilTheVariance) {
  on_each_isa([] {
    Random random(6);
    Case c(40, random, 999, 1001);
    c.run();
    for (size_t r = 0; r < kRows; ++r) {
      const auto [mean, inverse] = twin_moments(c.x.data() + r * 40, 40);
      EXPECT_NEAR(c.inverse[r], inverse, 1e-3 * inverse);  // The mean is known to 6e-5.
    }
  });
}

TEST(LayerNorm, InPlaceIsTheSame) {
  on_each_isa([] {
    Random random(7);
    for (const size_t width : {5, 16, 37}) {
      Case c(width, random), in_place(c);
      c.run();
      const RowMoments moments{in_place.mean.data(), in_place.inverse.data()};
      layer_norm_backward(c.rows(), {c.mean.data(), c.inverse.data()}, in_place.incoming.data(),
                          {in_place.incoming.data(), in_place.dgain.data(), in_place.dbias.data()});
      layer_norm(in_place.rows(), in_place.x.data(), moments);
      EXPECT_EQ(in_place.incoming.copy(), c.dx.copy());
      EXPECT_EQ(in_place.x.copy(), c.out.copy());
    }
  });
}

TEST(LayerNorm, NoRowsTouchNothing) {
  on_each_isa([] {
    const LayerNormRows none = {nullptr, 0, 8, nullptr, nullptr, kEpsilon};
    std::vector<float> out(8, 1.0f), mean(1, 2.0f), inverse(1, 3.0f), gain(8, 4.0f), bias(8, 5.0f);
    layer_norm(none, out.data(), {mean.data(), inverse.data()});
    layer_norm_backward(none, {mean.data(), inverse.data()}, nullptr,
                        {out.data(), gain.data(), bias.data()});
    EXPECT_THAT(out, ::testing::Each(1.0f));
    EXPECT_THAT(mean, ::testing::Each(2.0f));
    EXPECT_THAT(inverse, ::testing::Each(3.0f));
    EXPECT_THAT(gain, ::testing::Each(4.0f));
    EXPECT_THAT(bias, ::testing::Each(5.0f));
  });
}

}  // namespace
}  // namespace eatt::kernels
