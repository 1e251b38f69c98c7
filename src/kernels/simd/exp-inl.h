// The exponential function, a vector at a time.
#include <hwy/highway.h>

#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_EXP_INL_H_
#undef EATT_KERNELS_EXP_INL_H_
#else
#define EATT_KERNELS_EXP_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// eˣ for x ≤ 88, to 1.5 units in the last place; NaN stays NaN. Exactly 1 for 0, and exactly 0
// where the result would be below the smallest normal number (x < −87.33, −∞ included): denormal
// numbers slow down whatever is computed from them.
HWY_INLINE FloatVec exp_of(FloatTag d, FloatVec x) {
  // x = n·ln 2 + r, |r| ≤ ln 2 / 2. The first part of ln 2 has nine bits, so n times it is exact.
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
  // 2ⁿ by its exponent; n is from −126 to 127 wherever the result is not replaced by 0.
  const hn::RebindToSigned<FloatTag> di;
  const auto exponent = hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127));
  const auto scaled = hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<23>(exponent)));
#endif
  return hn::IfThenZeroElse(tiny, scaled);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
