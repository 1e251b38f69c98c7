#include "kernels/selection/signed_codes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/signed_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

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

// Thresholds are t, 3t, 5t, …, each computed from the one before, so that all instruction sets and
// plain loops agree to the last bit.
void signed_code_values(const float* x, size_t rows, size_t dim, const SignedCoding& coding,
                        float* codes) {
  const FloatTag d;
  const FloatVec unit = hn::Set(d, coding.unit), one = hn::Set(d, 1.0f);
  for_each_code(rows, dim, coding.threshold, [&](size_t i, size_t n, FloatVec limit) HWY_ATTR {
    const FloatVec value = load_some(d, x + i, n);
    const FloatVec size = hn::Abs(value), step = hn::Add(limit, limit);
    FloatVec code = hn::Zero(d);
    for (size_t level = 0; level < coding.levels; ++level) {
      code = hn::Add(code, hn::IfThenElseZero(hn::Gt(size, limit), one));
      limit = hn::Add(limit, step);
    }
    store_some(hn::CopySignToAbs(hn::Mul(code, unit), value), d, codes + i, n);
  });
}

void signed_code_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                          const SignedCoding& coding, float width, float* d_x) {
  constexpr float kRootOfTwoOverPi = 0.797884561f;
  const FloatTag d;
  const FloatVec narrowness = hn::Set(d, -2.0f / (width * width));
  const FloatVec height = hn::Set(d, coding.unit * kRootOfTwoOverPi / width);
  const auto bell = [&](FloatVec distance) HWY_ATTR {
    return exp_of(d, hn::Mul(hn::Mul(distance, distance), narrowness));
  };
  for_each_code(rows, dim, coding.threshold, [&](size_t i, size_t n, FloatVec limit) HWY_ATTR {
    const FloatVec value = load_some(d, x + i, n), step = hn::Add(limit, limit);
    FloatVec slope = hn::Zero(d);
    for (size_t level = 0; level < coding.levels; ++level) {
      const FloatVec both = hn::Add(bell(hn::Sub(value, limit)), bell(hn::Add(value, limit)));
      slope = hn::Add(slope, both);
      limit = hn::Add(limit, step);
    }
    store_some(hn::Mul(hn::Mul(slope, height), load_some(d, d_code + i, n)), d, d_x + i, n);
  });
}

// Bits of the lanes of a mask.
inline uint64_t lane_bits(hn::Mask<FloatTag> mask) {
#if HWY_TARGET == HWY_AVX3
  return mask.raw;
#else
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(FloatTag(), mask, bytes);
  return bytes[0];  // At most eight lanes.
#endif
}

// Up to 64 features: which are above each threshold, and which below its negative. A feature that
// is beyond a threshold is beyond all lower ones too.
struct BeyondLevels {
  uint64_t above[kMostCodeLevels] = {};
  uint64_t below[kMostCodeLevels] = {};
};

HWY_INLINE BeyondLevels beyond_levels(const float* x, const CodeThreshold& threshold,
                                      size_t feature, size_t count, size_t levels) {
  const FloatTag d;
  BeyondLevels beyond;
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t lanes = HWY_MIN(kLanes, count - i);
    const FloatVec value = load_some(d, x + i, lanes);
    FloatVec limit = threshold.per_feature ? load_some(d, threshold.values + feature + i, lanes)
                                           : hn::Set(d, *threshold.values);
    const FloatVec step = hn::Add(limit, limit);
    const uint64_t exist = (uint64_t{1} << lanes) - 1;
    for (size_t level = 0; level < levels; ++level) {
      beyond.above[level] |= (lane_bits(hn::Gt(value, limit)) & exist) << i;
      beyond.below[level] |= (lane_bits(hn::Lt(value, hn::Neg(limit))) & exist) << i;
      limit = hn::Add(limit, step);
    }
  }
  return beyond;
}

// Digit k of a code changes at every multiple of 2^k.
HWY_INLINE uint64_t digit_of(const uint64_t (&beyond)[kMostCodeLevels], size_t levels, size_t k) {
  uint64_t digit = 0;
  for (size_t n = size_t{1} << k; n <= levels; n += size_t{1} << k) digit ^= beyond[n - 1];
  return digit;
}

void signed_code_planes(const float* x, size_t x_stride, size_t rows, size_t dim,
                        const CodeThreshold& threshold, size_t levels, uint64_t* planes) {
  const size_t plane = rows * code_words(dim);
  for (size_t row = 0; row < rows; ++row, x += x_stride) {
    for (size_t i = 0; i < dim; i += 64, ++planes) {
      const BeyondLevels beyond =
          beyond_levels(x + i, threshold, i, HWY_MIN(size_t{64}, dim - i), levels);
      for (size_t k = 0; k < code_digits(levels); ++k) {
        planes[2 * k * plane] = digit_of(beyond.above, levels, k);
        planes[(2 * k + 1) * plane] = digit_of(beyond.below, levels, k);
      }
    }
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(signed_code_values);
HWY_EXPORT(signed_code_gradient);
HWY_EXPORT(signed_code_planes);

void signed_code_values(const float* x, size_t rows, size_t dim, const SignedCoding& coding,
                        float* codes) noexcept {
  EATT_DISPATCH(signed_code_values)(x, rows, dim, coding, codes);
}

void signed_code_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                          const SignedCoding& coding, float width, float* d_x) noexcept {
  EATT_DISPATCH(signed_code_gradient)(x, d_code, rows, dim, coding, width, d_x);
}

void signed_code_planes(const float* x, size_t x_stride, size_t rows, size_t dim,
                        const CodeThreshold& threshold, size_t levels, uint64_t* planes) noexcept {
  EATT_DISPATCH(signed_code_planes)(x, x_stride, rows, dim, threshold, levels, planes);
}

}  // namespace eatt::kernels
#endif
