// uint8 and int16 elements summed in 32-bit lanes, for L1 distances.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/isa.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_INTEGER_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INTEGER_UNITS_INL_H_
#undef EATT_KERNELS_INTEGER_UNITS_INL_H_
#else
#define EATT_KERNELS_INTEGER_UNITS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using IntTag = hn::ScalableTag<int32_t>;
using IntVec = hn::Vec<IntTag>;

// Elements are handled in units of four bytes, which one 32-bit lane sums.
template <class T>
inline constexpr size_t kPerUnit = sizeof(int32_t) / sizeof(T);

// The unit of a row that starts at `from`, or its first `count` elements and zeros.
template <class T>
HWY_INLINE int32_t load_unit(const T* from, size_t count = kPerUnit<T>) {
  int32_t unit = 0;
  std::memcpy(&unit, from, count * sizeof(T));
  return unit;
}

#if HWY_TARGET != HWY_SCALAR
template <class T>
HWY_INLINE IntVec max_of(IntVec a, IntVec b) {
  const hn::Repartition<T, IntTag> d;
  return hn::BitCast(IntTag(), hn::Max(hn::BitCast(d, a), hn::BitCast(d, b)));
}
#else
template <class T>
HWY_INLINE IntVec max_of(IntVec a, IntVec b) {
  T left[kPerUnit<T>], right[kPerUnit<T>];
  std::memcpy(left, &a.raw, sizeof(left));
  std::memcpy(right, &b.raw, sizeof(right));
  for (size_t i = 0; i < kPerUnit<T>; ++i) left[i] = HWY_MAX(left[i], right[i]);
  return hn::Set(IntTag(), load_unit(left));
}
#endif

// sum += factor · (the elements in each lane of x); the factor is 2 or −1.
#if HWY_TARGET == HWY_AVX3
// In assembly: HWY_AVX3 does not include VNNI, and g++ 12 would copy every sum.
template <class T, bool vnni, int factor>
HWY_INLINE void add_units(IntVec& sum, IntVec x) {
  const __m512i bytes = _mm512_set1_epi8(factor);
  const __m512i words = _mm512_set1_epi16(factor);
  if constexpr (vnni && sizeof(T) == 1) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(bytes));
  } else if constexpr (vnni) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(words));
  } else {
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i added = sizeof(T) == 1
                              ? _mm512_madd_epi16(_mm512_maddubs_epi16(x.raw, bytes), one)
                              : _mm512_madd_epi16(x.raw, words);
    asm("vpaddd %1, %0, %0" : "+v"(sum.raw) : "v"(added));
  }
}
#elif HWY_TARGET == HWY_AVX2
template <class T, bool vnni, int factor>
HWY_INLINE void add_units(IntVec& sum, IntVec x) {
  const __m256i pairs =
      sizeof(T) == 1 ? _mm256_maddubs_epi16(x.raw, _mm256_set1_epi8(factor)) : x.raw;
  const __m256i words = _mm256_set1_epi16(sizeof(T) == 1 ? 1 : factor);
  sum.raw = _mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, words));
}
#elif HWY_TARGET == HWY_SSE4
template <class T, bool vnni, int factor>
HWY_INLINE void add_units(IntVec& sum, IntVec x) {
  const __m128i pairs = sizeof(T) == 1 ? _mm_maddubs_epi16(x.raw, _mm_set1_epi8(factor)) : x.raw;
  const __m128i words = _mm_set1_epi16(sizeof(T) == 1 ? 1 : factor);
  sum.raw = _mm_add_epi32(sum.raw, _mm_madd_epi16(pairs, words));
}
#else
template <class T, bool vnni, int factor>
HWY_INLINE void add_units(IntVec& sum, IntVec x) {
  const IntTag d;
  IntVec added;
  if constexpr (sizeof(T) == 1) {
    const IntVec byte = hn::Set(d, 0xff);
    const IntVec low = hn::Add(hn::And(x, byte), hn::And(hn::ShiftRight<8>(x), byte));
    const IntVec high =
        hn::Add(hn::And(hn::ShiftRight<16>(x), byte), hn::And(hn::ShiftRight<24>(x), byte));
    added = hn::Add(low, high);
  } else {
    added = hn::Add(hn::ShiftRight<16>(hn::ShiftLeft<16>(x)), hn::ShiftRight<16>(x));
  }
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
