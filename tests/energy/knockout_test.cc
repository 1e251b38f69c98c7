#include "energy/knockout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "energy/activity.h"

namespace eatt::energy::testing {
namespace {

TEST(Knockout, FindsTheBestInOrderWithTheComparisonsThatTheRulesClaim) {
  std::mt19937 random(3);
  for (size_t count = 0; count <= 40; ++count) {
    std::vector<int> items(count);
    for (size_t i = 0; i < count; ++i) items[i] = static_cast<int>(i);
    std::shuffle(items.begin(), items.end(), random);
    for (size_t wanted = 1; wanted <= count + 1; ++wanted) {
      uint64_t matches = 0;
      Knockout knockout(items, -1, [&](int a, int b) { return ++matches, a > b; });
      const std::vector<int> best = knockout.best(wanted);
      ASSERT_EQ(best.size(), std::min(count, wanted));
      for (size_t rank = 0; rank < best.size(); ++rank)
        EXPECT_EQ(best[rank], static_cast<int>(count - 1 - rank));
      EXPECT_EQ(matches, knockout_comparisons(count, wanted)) << count << wanted;
    }
  }
}

}  // namespace
}  // namespace eatt::energy::testing
