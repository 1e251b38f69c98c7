// IEEE 754 numbers of 16 bits.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_HALVES_INL_H_
#undef EATT_KERNELS_HALVES_INL_H_
#else
#define EATT_KERNELS_HALVES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using HalfTag = hn::Rebind<uint16_t, FloatTag>;  // As many as there are floats in a vector.
using HalfVec = hn::Vec<HalfTag>;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SCALAR
// Highway 1.0.3 truncates instead of rounding on these targets and mishandles infinity.

HWY_INLINE FloatVec floats_of(HalfVec halves) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> bits;
  const auto wide = hn::PromoteTo(bits, halves);
  const auto magnitude = hn::ShiftLeft<13>(hn::And(wide, hn::Set(bits, 0x7fff)));
  // The exponents' biases differ by 112; the product is exact, for subnormal numbers too.
  const auto value = hn::BitCast(bits, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
  const auto infinite = hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(bits, (0x7c00u << 13) - 1)),
                                           hn::Set(bits, 0x7f800000u));
  const auto sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(bits, 0x8000)));
  return hn::BitCast(d, hn::Or(hn::Or(value, infinite), sign));
}

HWY_INLINE HalfVec halves_of(FloatVec floats) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> bits;
  const hn::RebindToSigned<FloatTag> signed_bits;
  const auto all = hn::BitCast(bits, floats);
  const auto magnitude = hn::And(all, hn::Set(bits, 0x7fffffffu));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(bits, 1));
  const auto rounded = hn::Add(hn::Add(magnitude, hn::Set(bits, 0xfff)), odd);
  const auto normal = hn::Sub(hn::ShiftRight<13>(rounded), hn::Set(bits, 112u << 10));
  // Below 2^-14: adding 0.5 leaves the digits that a half has, rounded by the hardware.
  const auto small =
      hn::Sub(hn::BitCast(bits, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
              hn::Set(bits, 126u << 23));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(bits, 113u << 23)), small, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(bits, 0x477fefffu)),  // 65,520 and above
                        hn::Set(bits, 0x7c00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(bits, 0x7f800000u)), hn::Set(bits, 0x7e00), half);
  half = hn::Or(half, hn::And(hn::ShiftRight<16>(all), hn::Set(bits, 0x8000)));
  return hn::DemoteTo(HalfTag(), hn::BitCast(signed_bits, half));
}
#else
using Float16Tag = hn::Rebind<hwy::float16_t, FloatTag>;

HWY_INLINE FloatVec floats_of(HalfVec halves) {
  return hn::PromoteTo(FloatTag(), hn::BitCast(Float16Tag(), halves));
}

HWY_INLINE HalfVec halves_of(FloatVec floats) {
  return hn::BitCast(HalfTag(), hn::DemoteTo(Float16Tag(), floats));
}
#endif

// The first `count` ≤ kLanes halves at `from` as floats, zeros after them; never reads beyond them.
inline FloatVec load_some(FloatTag, const uint16_t* from, size_t count) {
  const HalfTag d;
  if (count == kLanes) return floats_of(hn::LoadU(d, from));
#if HWY_TARGET == HWY_AVX3
  return floats_of(hn::MaskedLoad(hn::FirstN(d, count), d, from));
#else
  HWY_ALIGN uint16_t padded[kLanes] = {};
  for (size_t i = 0; i < count; ++i) padded[i] = from[i];
  return floats_of(hn::Load(d, padded));
#endif
}

inline void store_some(HalfVec halves, uint16_t* to, size_t count) {
  const HalfTag d;
  if (count == kLanes) return hn::StoreU(halves, d, to);
  HWY_ALIGN uint16_t padded[kLanes];
  hn::Store(halves, d, padded);
  for (size_t i = 0; i < count; ++i) to[i] = padded[i];
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
