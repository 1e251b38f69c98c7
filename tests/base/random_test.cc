#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace eatt {
namespace {

TEST(Random, TheSameSeedGivesTheSameNumbersOnEveryMachine) {
  // The reference generator (xoshiro256** seeded by SplitMix64), seed 1.
  Random random(1);
  const std::array<uint64_t, 3> expected = {0xb3f2af6d0fc710c5, 0x853b559647364cea,
                                            0x92f89756082a4514};
  for (const uint64_t value : expected) EXPECT_EQ(random.next(), value);
}

TEST(Random, BelowStaysBelowAndReachesEveryValueEvenly) {
  Random random(2);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen.at(random.below(6));
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 400);  // Four standard deviations.
}

TEST(Random, ShuffleKeepsTheItemsAndChangesTheOrder) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  const auto before = items;
  Random random(3);
  random.shuffle(std::span(items));
  EXPECT_NE(items, before);
  std::ranges::sort(items);
  EXPECT_EQ(items, before);
}

TEST(Random, StreamsOfOneSeedDiffer) {
  EXPECT_NE(Random::stream(5, 0).next(), Random::stream(5, 1).next());
  EXPECT_EQ(Random::stream(5, 1).next(), Random::stream(5, 1).next());
}

}  // namespace
}  // namespace eatt
