#include <gtest/gtest.h>

#include <cmath>

#include "runtime/layers/transformer.h"

namespace eatt {
namespace {

TEST(Positions, SinesStandBeforeCosines) {
  const auto rows = sinusoidal_rows(3, 4);
  EXPECT_FLOAT_EQ(rows[2 * 4 + 0], std::sin(2.0f));
  EXPECT_FLOAT_EQ(rows[2 * 4 + 1], std::sin(2e-4f));
  EXPECT_FLOAT_EQ(rows[2 * 4 + 2], std::cos(2.0f));
  EXPECT_FLOAT_EQ(rows[2 * 4 + 3], std::cos(2e-4f));
}

TEST(Positions, TheNarrowestModelHasOneFrequency) {
  EXPECT_EQ(sinusoidal_rows(1, 2), (std::vector<float>{0.0f, 1.0f}));
}

}  // namespace
}  // namespace eatt
