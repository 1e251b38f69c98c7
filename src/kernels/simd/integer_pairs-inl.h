// int16 elements summed in pairs in 32-bit lanes, for L1 distances.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/isa.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_INTEGER_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INTEGER_PAIRS_INL_H_
#undef EATT_KERNELS_INTEGER_PAIRS_INL_H_
#else
#define EATT_KERNELS_INTEGER_PAIRS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using IntTag = hn::ScalableTag<int32_t>;
using IntVec = hn::Vec<IntTag>;

// The greater elements of two vectors of int16.
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE IntVec max_of(IntVec a, IntVec b) {
  const hn::Repartition<int16_t, IntTag> d;
  return hn::BitCast(IntTag(), hn::Max(hn::BitCast(d, a), hn::BitCast(d, b)));
}
#else
HWY_INLINE IntVec max_of(IntVec a, IntVec b) {
  const auto half = [](IntVec x, int shift) {
    return static_cast<int16_t>(static_cast<uint32_t>(x.raw) >> shift);
  };
  const auto low = static_cast<uint16_t>(HWY_MAX(half(a, 0), half(b, 0)));
  const auto high = static_cast<uint16_t>(HWY_MAX(half(a, 16), half(b, 16)));
  return hn::Set(IntTag(), static_cast<int32_t>(low | static_cast<uint32_t>(high) << 16));
}
#endif

// sum += factor · (the elements in each lane of x); the factor is 2 or −1.
#if HWY_TARGET == HWY_AVX3
// In assembly: HWY_AVX3 does not include VNNI, and g++ 12 would copy every sum.
template <bool vnni, int factor>
HWY_INLINE void add_pairs(IntVec& sum, IntVec x) {
  const __m512i factors = _mm512_set1_epi16(factor);
  if constexpr (vnni) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(factors));
  } else {
    const __m512i added = _mm512_madd_epi16(x.raw, factors);
    asm("vpaddd %1, %0, %0" : "+v"(sum.raw) : "v"(added));
  }
}
#elif HWY_TARGET == HWY_AVX2
template <bool vnni, int factor>
HWY_INLINE void add_pairs(IntVec& sum, IntVec x) {
  sum.raw = _mm256_add_epi32(sum.raw, _mm256_madd_epi16(x.raw, _mm256_set1_epi16(factor)));
}
#elif HWY_TARGET == HWY_SSE4
template <bool vnni, int factor>
HWY_INLINE void add_pairs(IntVec& sum, IntVec x) {
  sum.raw = _mm_add_epi32(sum.raw, _mm_madd_epi16(x.raw, _mm_set1_epi16(factor)));
}
#else
template <bool vnni, int factor>
HWY_INLINE void add_pairs(IntVec& sum, IntVec x) {
  const IntVec added = hn::Add(hn::ShiftRight<16>(hn::ShiftLeft<16>(x)), hn::ShiftRight<16>(x));
  sum = factor == 2 ? hn::Add(sum, hn::Add(added, added)) : hn::Sub(sum, added);
}
#endif

// Calls body(std::true_type) if VNNI may be used, which is known only at run time.
template <class Body>
HWY_INLINE void with_vnni(const Body& body) {
#if HWY_TARGET == HWY_AVX3
  if (vnni_enabled()) return body(std::true_type());
#endif
  body(std::false_type());
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
