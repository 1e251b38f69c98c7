#include <gmock/gmock.h>

#include <limits>
#include <vector>

#include "base/random.h"
#include "kernels/attention/attention.h"
#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

// int16 and uint8 by one name.
struct Int16 {
  using Number = int16_t;
  static constexpr auto size = packed_keys_int16_size;
  static constexpr auto pack = pack_keys_int16;
  static constexpr auto distances = l1_distances_int16;
};
struct Uint8 {
  using Number = uint8_t;
  static constexpr auto size = packed_keys_uint8_size;
  static constexpr auto pack = pack_keys_uint8;
  static constexpr auto distances = l1_distances_uint8;
};

template <class Kind>
class IntDistances : public ::testing::Test {};
using Kinds = ::testing::Types<Int16, Uint8>;
TYPED_TEST_SUITE(IntDistances, Kinds);

struct Sizes {
  size_t queries;
  size_t keys;
  size_t dim;
  size_t extra = 0;  // Numbers between rows.
};

// Numbers of all sizes, from one number after an aligned address on.
template <class T>
std::vector<T> random_numbers(size_t size, uint64_t seed) {
  Random random(seed);
  std::vector<T> numbers(size + 1);
  using Limits = std::numeric_limits<T>;
  for (T& number : numbers) {
    number = static_cast<T>(Limits::min() + random.uniform() * (Limits::max() - Limits::min() + 1));
  }
  return numbers;
}

template <class Kind>
void expect_distances(const Sizes& sizes) {
  using T = typename Kind::Number;
  const size_t stride = sizes.dim + sizes.extra, out_stride = sizes.keys + sizes.extra;
  const auto q = random_numbers<T>(sizes.queries * stride, 1);
  const auto k = random_numbers<T>(sizes.keys * stride, 2);
  std::vector<uint8_t> packed(Kind::size(sizes.keys, sizes.dim));
  std::vector<int32_t> distances(sizes.queries * out_stride, 7);
  Kind::pack({k.data() + 1, sizes.keys, stride}, sizes.dim, packed.data());
  Kind::distances({q.data() + 1, sizes.queries, stride}, packed.data(), sizes.keys, sizes.dim,
                  distances.data(), out_stride);
  for (size_t i = 0; i < sizes.queries; ++i) {
    for (size_t j = 0; j < out_stride; ++j) {
      int64_t expected = j < sizes.keys ? 0 : 7;
      for (size_t f = 0; f < sizes.dim && j < sizes.keys; ++f) {
        expected += std::abs(q[1 + i * stride + f] - k[1 + j * stride + f]);
      }
      ASSERT_EQ(distances[i * out_stride + j], expected)
          << "query " << i << " of " << sizes.queries << ", key " << j << " of " << sizes.keys
          << ", dim " << sizes.dim;
    }
  }
}

TYPED_TEST(IntDistances, AreExactForAllSizes) {
  on_each_isa([] {
    for (size_t keys = 0; keys <= 67; ++keys) expect_distances<TypeParam>({5, keys, 7, keys % 3});
    for (size_t queries = 0; queries <= 17; ++queries) {
      expect_distances<TypeParam>({queries, 9, 16, 1});
    }
    for (size_t dim = 0; dim <= 140; ++dim) expect_distances<TypeParam>({9, 34, dim, dim % 4});
    expect_distances<TypeParam>({17, 70, 64});
  });
}

TEST(Int16Distances, AreExactAtBothEndsOfTheRange) {
  on_each_isa([] {
    constexpr size_t kDim = 32767;  // 32,767 · 65,535 is just below 2^31.
    const std::vector<int16_t> low(kDim, -32768), high(kDim, 32767);
    std::vector<uint8_t> packed(packed_keys_int16_size(1, kDim));
    int32_t distance = 0;
    pack_keys_int16({low.data(), 1, kDim}, kDim, packed.data());
    l1_distances_int16({high.data(), 1, kDim}, packed.data(), 1, kDim, &distance, 1);
    EXPECT_EQ(distance, 32767 * 65535);
    l1_distances_int16({low.data(), 1, kDim}, packed.data(), 1, kDim, &distance, 1);
    EXPECT_EQ(distance, 0);
  });
}

}  // namespace
}  // namespace eatt::kernels
