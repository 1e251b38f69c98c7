// The exponential function, and the two sums behind a softmax.
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_SOFTMAX_INL_H_
#undef EATT_KERNELS_SOFTMAX_INL_H_
#else
#define EATT_KERNELS_SOFTMAX_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// eˣ for x ≤ 88, to 1.5 units in the last place; NaN stays NaN. Exactly 1 for 0, and exactly 0
// where the result would be below the smallest normal number (x < −87.33, −∞ included): denormal
// numbers slow down whatever is computed from them.
HWY_INLINE FloatVec exp_of(FloatTag d, FloatVec x) {
  // x = n·ln 2 + r, |r| ≤ ln 2 / 2. The first part of ln 2 has nine bits, so its product with n is
  // exact.
  const FloatVec n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  FloatVec r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  // 1 + r + r²·(…), the minimax polynomial of degree 6: relative error 4e-9 before rounding.
  FloatVec p = hn::MulAdd(r, hn::Set(d, 1.38145406e-3f), hn::Set(d, 8.36874545e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.16683890e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.66665211e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.99999940e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto tiny = hn::Lt(x, hn::Set(d, -87.33f));
#if HWY_TARGET == HWY_AVX3
  const auto scaled = FloatVec{_mm512_scalef_ps(p.raw, n.raw)};
#else
  // Builds 2ⁿ from its exponent; n is in −126 … 127 wherever the result is not replaced by 0.
  const hn::RebindToSigned<FloatTag> di;
  const auto exponent = hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127));
  const auto scaled = hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(exponent)));
#endif
  return hn::IfThenZeroElse(tiny, scaled);
}

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// The first `count` numbers at `from`, then −∞, which adds nothing to a softmax.
HWY_INLINE FloatVec load_or_minus_infinity(FloatTag d, const float* from, size_t count) {
  if (count == kLanes) return hn::LoadU(d, from);
  return hn::IfThenElse(hn::FirstN(d, count), load_first(d, from, count),
                        hn::Set(d, kMinusInfinity));
}

// The largest number of a row, −∞ if it is empty. May ignore NaN: the sum of
// exponentials that follows finds it.
HWY_INLINE float row_max(FloatTag d, const float* x, size_t size) {
  FloatVec most[4];
  for (FloatVec& m : most) m = hn::Set(d, kMinusInfinity);
  size_t i = 0;
  for (; i + 4 * kLanes <= size; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      most[j] = hn::Max(most[j], hn::LoadU(d, x + i + j * kLanes));
    }
  }
  for_each_vector(size - i, [&](size_t k, size_t count) HWY_ATTR {
    most[0] = hn::Max(most[0], load_or_minus_infinity(d, x + i + k, count));
  });
  const FloatVec all = hn::Max(hn::Max(most[0], most[1]), hn::Max(most[2], most[3]));
  return hn::GetLane(hn::MaxOfLanes(d, all));
}

// Σ exp(x − most). If most = −∞, the sum is 0, or NaN if there is one.
HWY_INLINE float sum_of_exp(FloatTag d, const float* x, size_t size, float most) {
  const FloatVec shift = hn::Set(d, most == kMinusInfinity ? 0 : most);
  FloatVec sums[2] = {hn::Zero(d), hn::Zero(d)};  // Two, to hide the latency of additions.
  size_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    sums[0] = hn::Add(sums[0], exp_of(d, hn::Sub(hn::LoadU(d, x + i), shift)));
    sums[1] = hn::Add(sums[1], exp_of(d, hn::Sub(hn::LoadU(d, x + i + kLanes), shift)));
  }
  for_each_vector(size - i, [&](size_t k, size_t count) HWY_ATTR {
    const FloatVec value = load_or_minus_infinity(d, x + i + k, count);
    sums[0] = hn::Add(sums[0], exp_of(d, hn::Sub(value, shift)));
  });
  return sum_of_lanes(d, hn::Add(sums[0], sums[1]));
}

HWY_INLINE float log_sum_exp(FloatTag d, const float* x, size_t size) {
  const float most = row_max(d, x, size);
  const double sum = sum_of_exp(d, x, size, most);
  if (sum == 0) return kMinusInfinity;
  return static_cast<float>((most == kMinusInfinity ? 0.0 : most) + std::log(sum));
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
