#include "kernels/selection/signed_codes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/signed_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/selection/code_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

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
  const FloatTag d;
  const Bell bell(width);
  const FloatVec height = hn::Set(d, coding.unit * bell.peak());
  for_each_code(rows, dim, coding.threshold, [&](size_t i, size_t n, FloatVec limit) HWY_ATTR {
    const FloatVec value = load_some(d, x + i, n), step = hn::Add(limit, limit);
    FloatVec slope = hn::Zero(d);
    for (size_t level = 0; level < coding.levels; ++level) {
      slope = hn::Add(slope, hn::Add(bell.share_of_peak(hn::Sub(value, limit)),
                                     bell.share_of_peak(hn::Add(value, limit))));
      limit = hn::Add(limit, step);
    }
    store_some(hn::Mul(hn::Mul(slope, height), load_some(d, d_code + i, n)), d, d_x + i, n);
  });
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
      beyond.above[level] |= (bits_of(hn::Gt(value, limit)) & exist) << i;
      beyond.below[level] |= (bits_of(hn::Lt(value, hn::Neg(limit))) & exist) << i;
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
