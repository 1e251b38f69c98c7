#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

// A half as its definition has it.
double half_value(Half half) {
  const int exponent = half >> 10 & 31, digits = half & 1023;
  const double sign = half & 0x8000 ? -1 : 1;
  if (exponent == 31) {
    return digits == 0 ? sign * std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  }
  return sign *
         (exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25));
}

double value_of(float x) { return x; }
double value_of(int16_t x) { return x; }
double value_of(Half x) { return half_value(x); }

// Rows that lie apart, each starting one number after an allocation and ending with it.
template <class T>
class ApartRows {
 public:
  ApartRows(size_t rows, size_t dim, uint64_t seed) {
    for (size_t i = 0; i < rows; ++i) {
      rows_.emplace_back(dim + 1);
      const RandomRows floats(dim, seed + i);
      for (size_t f = 0; f < dim; ++f) rows_.back()[f + 1] = number(floats[f]);
    }
    for (const std::vector<T>& row : rows_) pointers_.push_back(row.data() + 1);
  }
  const T* const* pointers() const { return pointers_.data(); }
  double at(size_t row, size_t column) const { return value_of(pointers_[row][column]); }

 private:
  static T number(float x) {
    if constexpr (std::is_same_v<T, Half>) {
      Half half;
      floats_to_halves(&x, 1, &half);
      return half;
    } else if constexpr (std::is_same_v<T, int16_t>) {
      return static_cast<T>(std::floor(x * 16384));  // The whole range.
    } else {
      return x;
    }
  }

  std::vector<std::vector<T>> rows_;
  std::vector<const T*> pointers_;
};

constexpr float kFactor = 0.3f;
constexpr double kUnit = std::numeric_limits<float>::epsilon();

// Σ over a head of q·k or |q − k|, and in `size` the sum of what is added, which rounding errors
// are proportional to.
template <class Query, class T>
double twin_score(ScoreKind kind, const Query& query, const ApartRows<T>& keys, size_t key,
                  size_t first, size_t dim, double& size) {
  double sum = 0;
  size = 0;
  for (size_t f = first; f < first + dim; ++f) {
    const double k = keys.at(key, f), q = value_of(query[f]);
    const double added = kind == ScoreKind::dot ? q * k : -std::abs(q - k);
    sum += added;
    size += std::abs(added);
  }
  return sum;
}

std::string place(const RowScores& shape, size_t h, size_t j) {
  return "head " + std::to_string(h) + " of " + std::to_string(shape.heads) + ", key " +
         std::to_string(j) + " of " + std::to_string(shape.count) + ", dim " +
         std::to_string(shape.head_dim);
}

template <class T>
void expect_scores(const RowScores& shape, ScoreKind kind) {
  const size_t width = shape.heads * shape.head_dim;
  const RandomRows query(width, 1);
  const ApartRows<T> keys(shape.count, width, 2);
  Misaligned scores(shape.heads * shape.count);
  row_scores(shape, kind, kFactor, query.data(), keys.pointers(), scores.data());
  for (size_t h = 0; h < shape.heads; ++h) {
    for (size_t j = 0; j < shape.count; ++j) {
      double size;
      const double expected =
          kFactor * twin_score(kind, query, keys, j, h * shape.head_dim, shape.head_dim, size);
      // Each addition rounds a sum that is no larger than `size`.
      const double tolerance = kUnit * kFactor * size * (static_cast<double>(shape.head_dim) + 2);
      ASSERT_NEAR(scores[h * shape.count + j], expected, tolerance) << place(shape, h, j);
    }
  }
}

void expect_exact_distances(const RowScores& shape) {
  const size_t width = shape.heads * shape.head_dim;
  const ApartRows<int16_t> query(1, width, 1), keys(shape.count, width, 2);
  const RandomRows factors(shape.heads, 3);
  Misaligned scores(shape.heads * shape.count);
  row_l1_scores(shape, factors.data(), query.pointers()[0], keys.pointers(), scores.data());
  for (size_t h = 0; h < shape.heads; ++h) {
    for (size_t j = 0; j < shape.count; ++j) {
      double size;
      const double distance = -twin_score(ScoreKind::l1, query.pointers()[0], keys, j,
                                          h * shape.head_dim, shape.head_dim, size);
      ASSERT_EQ(scores[h * shape.count + j], -factors[h] * static_cast<float>(distance))
          << place(shape, h, j);
    }
  }
}

template <class T>
void expect_mixed(const RowMix& shape) {
  const size_t width = shape.heads * shape.value_dim;
  const RandomRows weights(shape.heads * shape.count, 1);
  const ApartRows<T> values(shape.count, width, 2);
  Misaligned out(width, 1, 7);
  mix_value_rows(shape, weights.data(), values.pointers(), out.data());
  for (size_t c = 0; c < width; ++c) {
    double expected = 0, size = 0;
    for (size_t j = 0; j < shape.count; ++j) {
      const double added = weights[c / shape.value_dim * shape.count + j] * values.at(j, c);
      expected += added;
      size += std::abs(added);
    }
    // Each addition rounds a sum that is no larger than `size`.
    ASSERT_NEAR(out[c], expected, kUnit * size * (static_cast<double>(shape.count) + 1))
        << "column " << c << ", " << shape.count << " values, dim " << shape.value_dim;
  }
}

// Shapes with every number of keys and every size of heads that a vector can have.
template <class Shape, class Body>
void for_each_shape(const Body& body) {
  on_each_isa([&] {
    for (size_t count = 0; count <= kLastSweepSize; ++count) {
      body(Shape{3, 7, count});
      body(Shape{2, 64, count});
    }
    for (size_t dim = 0; dim <= 2 * kLastSweepSize; ++dim) body(Shape{2, dim, 5});
    for (const size_t dim : {size_t{80}, size_t{128}, size_t{256}}) body(Shape{3, dim, 18});
    for (size_t heads = 0; heads <= 17; ++heads) body(Shape{heads, 16, 3});
    body(Shape{8, 64, 100});
  });
}

TEST(RowScores, AreThoseOfTheTwinForAllSizes) {
  for (const ScoreKind kind : {ScoreKind::dot, ScoreKind::l1}) {
    for_each_shape<RowScores>([&](const RowScores& shape) { expect_scores<float>(shape, kind); });
    for_each_shape<RowScores>([&](const RowScores& shape) { expect_scores<Half>(shape, kind); });
  }
}

TEST(RowScores, OfWholeNumbersAreExactForAllSizes) {
  for_each_shape<RowScores>([](const RowScores& shape) { expect_exact_distances(shape); });
}

TEST(RowScores, OfWholeNumbersAreExactAtBothEndsOfTheRange) {
  on_each_isa([] {
    constexpr size_t kDim = 32767;  // 32,767 · 65,535 is just below 2^31.
    const std::vector<int16_t> low(kDim, -32768), high(kDim, 32767);
    const int16_t* keys[] = {low.data(), high.data()};
    const float factor = 1;
    float scores[2];
    row_l1_scores({1, kDim, 2}, &factor, high.data(), keys, scores);
    EXPECT_EQ(scores[0], -static_cast<float>(32767 * 65535));
    EXPECT_EQ(scores[1], 0);
    row_l1_scores({1, 64, 2}, &factor, low.data(), keys, scores);
    EXPECT_EQ(scores[0], 0);
    EXPECT_EQ(scores[1], -64.0f * 65535);
  });
}

TEST(RowScores, OfAKeyDoNotDependOnItsPlaceNorOnOtherKeys) {
  on_each_isa([] {
    constexpr size_t kCount = 37, kDim = 80;
    const RandomRows query(kDim, 1);
    const ApartRows<float> keys(kCount, kDim, 2);
    std::vector<float> scores(kCount);
    row_scores({1, kDim, kCount}, ScoreKind::dot, kFactor, query.data(), keys.pointers(),
               scores.data());
    for (size_t j = 0; j < kCount; ++j) {
      float alone;
      row_scores({1, kDim, 1}, ScoreKind::dot, kFactor, query.data(), keys.pointers() + j, &alone);
      EXPECT_EQ(alone, scores[j]) << "key " << j;
    }
  });
}

TEST(MixedValueRows, AreThoseOfTheTwinForAllSizes) {
  for_each_shape<RowMix>([](const RowMix& shape) { expect_mixed<float>(shape); });
  for_each_shape<RowMix>([](const RowMix& shape) { expect_mixed<Half>(shape); });
}

// All halves as scores of 1 · half, which reads them as the kernels do.
TEST(Halves, AreReadAsTheyAreDefined) {
  on_each_isa([] {
    const float one = 1;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const Half half = static_cast<Half>(bits);
      const Half* key = &half;
      float value;
      row_scores({1, 1, 1}, ScoreKind::dot, 1, &one, &key, &value);
      if (std::isnan(half_value(half))) {
        ASSERT_TRUE(std::isnan(value)) << bits;
      } else {
        ASSERT_EQ(value, half_value(half)) << bits;
      }
    }
  });
}

// What lies half-way between neighbours goes to the even one, what lies beside it to the nearer.
TEST(Halves, AreRoundedToNearestEven) {
  on_each_isa([] {
    std::vector<float> floats;
    std::vector<Half> expected;
    for (Half half = 0; half < 0x7bff; ++half) {  // Up to the largest but one.
      const auto low = static_cast<float>(half_value(half));
      const auto high = static_cast<float>(half_value(static_cast<Half>(half + 1)));
      const float middle = (low + high) / 2;
      const Half next = static_cast<Half>(half + 1), even = half % 2 == 0 ? half : next;
      floats.insert(floats.end(), {low, std::nextafter(middle, 0.0f), middle,
                                   std::nextafter(middle, 1e9f), -middle});
      expected.insert(expected.end(), {half, half, even, next, static_cast<Half>(even | 0x8000)});
    }
    std::vector<Half> halves(floats.size());
    floats_to_halves(floats.data(), floats.size(), halves.data());
    EXPECT_EQ(halves, expected);
  });
}

TEST(Halves, OfWhatIsTooLargeAreInfinite) {
  on_each_isa([] {
    const float infinity = std::numeric_limits<float>::infinity();
    const float floats[] = {65519.0f, 65520.0f, 3e38f, -infinity, std::nanf(""), 1e-30f};
    Half halves[6];
    floats_to_halves(floats, 6, halves);
    EXPECT_EQ(halves[0], 0x7bff);
    EXPECT_EQ(halves[1], 0x7c00);
    EXPECT_EQ(halves[2], 0x7c00);
    EXPECT_EQ(halves[3], 0xfc00);
    EXPECT_TRUE(std::isnan(half_value(halves[4])));
    EXPECT_EQ(halves[5], 0);
  });
}

TEST(Halves, OfEverySizeEndWithTheirRow) {
  on_each_isa([] {
    for (size_t size = 0; size <= kLastSweepSize; ++size) {
      const RandomRows floats(size, size);
      std::vector<Half> halves(size + 1, 7);
      floats_to_halves(floats.data(), size, halves.data());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(half_value(halves[i]), floats[i], 0x1p-11);  // Half a step below 2.
      }
      EXPECT_EQ(halves[size], 7);
    }
  });
}

}  // namespace
}  // namespace eatt::kernels
