#include "chart/axes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace eatt::chart {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Ticks, AreRoundNumbersThatCoverTheRange) {
  const Ticks ticks = linear_ticks(35.2, 37.9);
  EXPECT_THAT(ticks.values, Pointwise(DoubleNear(1e-9), {35.0, 36.0, 37.0, 38.0}));
  EXPECT_EQ(ticks.digits, 0);
  EXPECT_THAT(linear_ticks(0, 0.3).values, Pointwise(DoubleNear(1e-9), {0.0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(linear_ticks(0, 0.3).text(0.2), "0.2");
}

TEST(Ticks, OfOneNumberStillSpanAnAxis) {
  for (const double value : {0.0, 1.0, -3.5, 1e9, 1e-9}) {
    const Ticks ticks = linear_ticks(value, value);
    ASSERT_GE(ticks.values.size(), 2) << value;
    EXPECT_LE(ticks.values.front(), value);
    EXPECT_GE(ticks.values.back(), value);
    EXPECT_LT(ticks.values.front(), ticks.values.back());
    EXPECT_LE(ticks.values.size(), 12);
  }
}

TEST(Ticks, HaveThousandsSeparatedAndARealMinus) {
  EXPECT_EQ(linear_ticks(0, 6000).text(6000), "6,000");
  EXPECT_EQ(linear_ticks(-20, 20).text(-10), "−10");
  EXPECT_EQ(linear_ticks(-20, 20).text(-0.0), "0");
}

TEST(Ticks, OfALogarithmicAxisAreOneTwoAndFiveTimesPowersOfTen) {
  EXPECT_THAT(
      log_ticks(8, 1024).values,
      Pointwise(DoubleNear(1e-6), {5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0}));
  EXPECT_THAT(log_ticks(1, 1e6).values,
              Pointwise(DoubleNear(1e-3), {1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6}));
  EXPECT_GE(log_ticks(7, 7).values.size(), 2);
  EXPECT_EQ(log_ticks(0.01, 1000).text(0.01), "0.01");
  EXPECT_EQ(log_ticks(0.01, 1000).text(1000), "1,000");
}

TEST(Range, LeavesOutWhatIsNotFinite) {
  Range range;
  range.add(kNan);
  range.add(INFINITY);
  EXPECT_TRUE(range.empty());
  range.add(2);
  range.add(-1);
  EXPECT_EQ(range.low(), -1);
  EXPECT_EQ(range.high(), 2);
}

TEST(Scale, PutsTheEndsOfTheTicksAtTheEndsOfTheAxis) {
  Range range;
  range.add(10);
  range.add(1000);
  for (const bool logarithmic : {false, true}) {
    Scale scale({.title = "x", .logarithmic = logarithmic}, range);
    scale.place(100, 500);
    EXPECT_NEAR(scale.at(scale.ticks().values.front()), 100, 1e-9);
    EXPECT_NEAR(scale.at(scale.ticks().values.back()), 500, 1e-9);
    EXPECT_NEAR(scale.at(100), logarithmic ? 300 : 140, 1);
  }
}

TEST(NumberText, HasFourDigitsThatMatter) {
  EXPECT_EQ(number_text(36.4812), "36.48");
  EXPECT_EQ(number_text(0.012345), "0.01235");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(6000), "6,000");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(kNan), "–");
}

TEST(BrokenText, HasLinesThatFit) {
  EXPECT_THAT(broken_text("one two three", 60), ElementsAre("one two", "three"));
  EXPECT_THAT(broken_text("incomprehensibilities", 30), ElementsAre("incomprehensibilities"));
  EXPECT_TRUE(broken_text("", 30).empty());
}

TEST(FittedText, EndsWithDotsBetweenCharacters) {
  EXPECT_EQ(fitted_text("short", 200), "short");
  EXPECT_EQ(fitted_text("汉字汉字汉字", 45), "汉字…");
}

}  // namespace
}  // namespace eatt::chart
