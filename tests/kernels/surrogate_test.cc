#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/each_isa.h"
#include "kernels/random_rows.h"
#include "kernels/selection/selection_codes.h"

namespace eatt::kernels {
namespace {

void expect_bell(size_t rows, size_t dim, bool per_feature, double width) {
  const RandomRows x(rows * dim, 1), z(rows * dim, 2), thresholds(dim + 1, 3);
  std::vector<float> dx(rows * dim, 9.0f);
  surrogate_gradient(x.data(), z.data(), rows, dim, {thresholds.data(), per_feature},
                     static_cast<float>(width), dx.data());
  for (size_t i = 0; i < rows * dim; ++i) {
    const double tau = thresholds.data()[per_feature ? i % dim : 0];
    const double u = (x.data()[i] - tau) / width;
    const double bell = std::sqrt(2 / std::numbers::pi) / width * std::exp(-2 * u * u);
    // Four roundings, and those of the exponent, which is up to 32·width⁻².
    ASSERT_NEAR(dx[i], z.data()[i] * bell, 4e-6 / width)
        << "element " << i << " of width " << width;
  }
}

TEST(Surrogate, IsTheBellOfItsDefinitionForAllSizes) {
  on_each_isa([] {
    for (size_t dim = 0; dim <= 33; ++dim) {
      expect_bell(3, dim, /*per_feature=*/false, 1.0);
      expect_bell(3, dim, /*per_feature=*/true, 1.0);
      expect_bell(2, dim, /*per_feature=*/true, 0.5);
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
