#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/each_isa.h"
#include "kernels/random_rows.h"
#include "kernels/rows/logits.h"

namespace eatt::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::pair<float, int32_t>> twin(const Misaligned& x, size_t count) {
  std::vector<std::pair<float, int32_t>> all;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] > -kInfinity) all.emplace_back(x[i], static_cast<int32_t>(i));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  all.resize(std::min(count, all.size()));
  return all;
}

void expect_top(const Misaligned& x, size_t count) {
  std::vector<TopValue> out(count);
  out.resize(top_values(x.data(), x.size(), count, out.data()));
  std::vector<std::pair<float, int32_t>> found;
  for (const TopValue& top : out) found.emplace_back(top.value, top.index);
  ASSERT_EQ(found, twin(x, count)) << count << " of " << x.size();
}

TEST(TopValues, AreThoseOfASortForAllSizes) {
  on_each_isa([] {
    for (size_t size = 0; size <= 300; ++size) {
      const RandomRows x(size, size);
      for (const size_t count : {0, 1, 2, 4, 5, 16, 40}) expect_top(x, count);
    }
    expect_top(RandomRows(32000, 1), 1);
    expect_top(RandomRows(32001, 2), 16);
    expect_top(RandomRows(1000, 3), 1000);
  });
}

TEST(TopValues, OfEqualNumbersTakeTheLowerIndexFirst) {
  on_each_isa([] {
    Random random(5);
    for (size_t size = 0; size <= 300; ++size) {
      Misaligned x(size);
      for (float& value : x) value = static_cast<float>(random.below(4));
      for (const size_t count : {1, 3, 16, 80}) expect_top(x, count);
    }
  });
}

TEST(TopValues, OfRisingAndFallingNumbersAreFound) {
  on_each_isa([] {
    Misaligned rising(1000), falling(1000);
    for (size_t i = 0; i < 1000; ++i) {
      rising[i] = static_cast<float>(i);
      falling[i] = -static_cast<float>(i);
    }
    for (const size_t count : {1, 7, 16}) {
      expect_top(rising, count);
      expect_top(falling, count);
    }
  });
}

TEST(TopValues, NeverHoldNanNorMinusInfinity) {
  on_each_isa([] {
    Random random(7);
    const float specials[] = {std::nanf(""), -kInfinity, kInfinity, 0.0f, -0.0f};
    for (size_t size = 0; size <= 300; ++size) {
      RandomRows x(size, size);
      for (float& value : x.values()) {
        if (random.below(3) > 0) value = specials[random.below(5)];
      }
      for (const size_t count : {1, 4, 16, 300}) expect_top(x, count);
    }
    const Misaligned nothing(200, 1, -kInfinity), nans(200, 1, std::nanf(""));
    expect_top(nothing, 3);
    expect_top(nans, 3);
  });
}

}  // namespace
}  // namespace eatt::kernels
