#include "int_scores.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "baseline.h"
#include "kernels/attention/attention.h"
#include "measure.h"

namespace eatt::bench {
namespace {

using namespace eatt::kernels;

constexpr size_t kHeadDim = 64;

template <class T>
AlignedVector<T> random_numbers(size_t size, double range, Random& random) {
  AlignedVector<T> numbers(size);
  for (T& number : numbers) number = static_cast<T>(random.uniform() * range);
  return numbers;
}

template <class T>
void check(const AlignedVector<T>& queries, const AlignedVector<T>& keys,
           const AlignedVector<int32_t>& distances, size_t length) {
  for (size_t i = 0; i < length * length; ++i) {
    int32_t expected = 0;
    for (size_t f = 0; f < kHeadDim; ++f) {
      expected += std::abs(queries[i / length * kHeadDim + f] - keys[i % length * kHeadDim + f]);
    }
    if (distances[i] != expected) {
      throw std::runtime_error(fmt::format("distance {} instead of {}", distances[i], expected));
    }
  }
}

}  // namespace

void int_scores(size_t length, size_t rounds, Random& random) {
  const size_t size = length * kHeadDim;
  const auto float_q = random_numbers<float>(size, 1.0, random);
  const auto float_k = random_numbers<float>(size, 1.0, random);
  const auto wide_q = random_numbers<int16_t>(size, 32768, random);
  const auto wide_k = random_numbers<int16_t>(size, 32768, random);
  const auto byte_q = random_numbers<uint8_t>(size, 256, random);
  const auto byte_k = random_numbers<uint8_t>(size, 256, random);
  AlignedVector<uint8_t> packed(packed_keys_int16_size(length, kHeadDim));
  AlignedVector<int32_t> distances(length * length);
  AlignedVector<float> products(length * length);
  const auto int16 = [&] {
    pack_keys_int16({wide_k.data(), length, kHeadDim}, kHeadDim, packed.data());
    l1_distances_int16({wide_q.data(), length, kHeadDim}, packed.data(), length, kHeadDim,
                       distances.data(), length);
  };
  const auto uint8 = [&] {
    pack_keys_uint8({byte_k.data(), length, kHeadDim}, kHeadDim, packed.data());
    l1_distances_uint8({byte_q.data(), length, kHeadDim}, packed.data(), length, kHeadDim,
                       distances.data(), length);
  };
  std::vector<std::function<void()>> sgemms;
  for (const Sgemm& sgemm : available_sgemms()) {
    sgemms.push_back([&] {
      sgemm.row_major_nt(length, length, kHeadDim, float_q.data(), kHeadDim, float_k.data(),
                         kHeadDim, products.data(), length);
    });
  }
  int16();
  check(wide_q, wide_k, distances, length);
  print_information(fmt::format("L1 scores int16, length {}, over sgemm", length),
                    median_ratio_to_best(int16, sgemms, rounds));
  uint8();
  check(byte_q, byte_k, distances, length);
  print_information(fmt::format("L1 scores uint8, length {}, over sgemm", length),
                    median_ratio_to_best(uint8, sgemms, rounds));
}

}  // namespace eatt::bench
