// Loops over the inputs of codes, and the bell-shaped slope of their steps: what binary and signed
// codes share.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/selection/selection_codes.h"
#include "kernels/simd/softmax-inl.h"

#if defined(EATT_KERNELS_CODE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_CODE_ROWS_INL_H_
#undef EATT_KERNELS_CODE_ROWS_INL_H_
#else
#define EATT_KERNELS_CODE_ROWS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Bit i tells whether lane i of the mask is set.
HWY_INLINE uint64_t bits_of(hn::Mask<FloatTag> mask) {
#if HWY_TARGET == HWY_AVX3
  return mask.raw;
#else
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(FloatTag(), mask, bytes);
  return bytes[0];  // At most eight lanes.
#endif
}

// Calls body(index into the matrix, lanes, thresholds of these lanes) for all of x [rows, dim].
template <class Body>
HWY_INLINE void for_each_code(size_t rows, size_t dim, const CodeThreshold& threshold,
                              const Body& body) {
  const FloatTag d;
  if (!threshold.per_feature) {
    const FloatVec limit = hn::Set(d, *threshold.values);
    for_each_vector(rows * dim, [&](size_t i, size_t n) HWY_ATTR { body(i, n, limit); });
    return;
  }
  for (size_t row = 0; row < rows; ++row) {
    for_each_vector(dim, [&](size_t f, size_t n) HWY_ATTR {
      body(row * dim + f, n, load_some(d, threshold.values + f, n));
    });
  }
}

// The slope that a step of a code has in training, by the distance from its threshold:
// √(2/π)/width · exp(−2·(distance/width)²), whose integral is 1.
class Bell {
 public:
  HWY_INLINE explicit Bell(float width)
      : peak_(kRootOfTwoOverPi / width),
        narrowness_(hn::Set(FloatTag(), -2.0f / (width * width))) {}

  HWY_INLINE float peak() const { return peak_; }  // The slope at distance 0.
  // The slope divided by the peak.
  HWY_INLINE FloatVec share_of_peak(FloatVec distance) const {
    return exp_of(FloatTag(), hn::Mul(hn::Mul(distance, distance), narrowness_));
  }

 private:
  static constexpr float kRootOfTwoOverPi = 0.797884561f;
  float peak_;
  FloatVec narrowness_;
};

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
