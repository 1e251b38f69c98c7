// Products of int8: four bytes by four bytes in lanes of 32 bits, exact on every instruction set,
// and how their sums become floats.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/products/product_rows-inl.h"
#include "kernels/products/products.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_INT8_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INT8_DOT_INL_H_
#undef EATT_KERNELS_INT8_DOT_INL_H_
#else
#define EATT_KERNELS_INT8_DOT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using IntTag = hn::ScalableTag<int32_t>;
using IntVec = hn::Vec<IntTag>;

// Four elements of a quantized row in every lane, ready for add_products. A sum starts at
// start_of(Σ_i w), add_products(sum, x, w) is called for all inputs, and then
//   sum = Σ_i (x_i − 128) · w_i
// for x of 1 … 255 and w of −127 … 127.
template <bool vnni>
struct FourInputs;

// VNNI multiplies unsigned bytes, so x is 128 too large; NEON's dot product takes signs.
template <bool vnni>
HWY_INLINE IntVec start_of(IntVec weight_sums) {
  return vnni && HWY_TARGET != HWY_NEON ? hn::Neg(hn::ShiftLeft<7>(weight_sums))
                                        : hn::Zero(IntTag());
}

#if HWY_TARGET == HWY_AVX3
template <>
struct FourInputs<true> {
  explicit HWY_INLINE FourInputs(int32_t four) : x(_mm512_set1_epi32(four)) {}
  __m512i x;
};
template <>
struct FourInputs<false> {
  explicit HWY_INLINE FourInputs(int32_t four) {
    const __m512i number = _mm512_set1_epi32(four ^ static_cast<int32_t>(0x80808080));
    magnitude = _mm512_abs_epi8(number);
    negative = _mm512_movepi8_mask(number);
  }
  __m512i magnitude;
  __mmask64 negative;
};

// In assembly: Highway's targets do not include VNNI, and g++ 12 would copy every sum.
HWY_INLINE void add_products(IntVec& sum, const FourInputs<true>& inputs, IntVec w) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(inputs.x), "v"(w.raw));
}

// Sums of two products of up to 127 · 127 do not saturate.
HWY_INLINE void add_products(IntVec& sum, const FourInputs<false>& inputs, IntVec w) {
  const __m512i signed_w =
      _mm512_mask_sub_epi8(w.raw, inputs.negative, _mm512_setzero_si512(), w.raw);
  const __m512i pairs = _mm512_maddubs_epi16(inputs.magnitude, signed_w);
  sum.raw = _mm512_add_epi32(sum.raw, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}

#elif HWY_TARGET == HWY_AVX2
template <>
struct FourInputs<true> {
  explicit HWY_INLINE FourInputs(int32_t four) : x(_mm256_set1_epi32(four)) {}
  __m256i x;
};
template <>
struct FourInputs<false> {
  explicit HWY_INLINE FourInputs(int32_t four)
      : x(_mm256_xor_si256(_mm256_set1_epi32(four), _mm256_set1_epi8(-128))),
        magnitude(_mm256_abs_epi8(x)) {}
  __m256i x, magnitude;
};

HWY_INLINE void add_products(IntVec& sum, const FourInputs<true>& inputs, IntVec w) {
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(inputs.x), "x"(w.raw));
}

HWY_INLINE void add_products(IntVec& sum, const FourInputs<false>& inputs, IntVec w) {
  const __m256i pairs = _mm256_maddubs_epi16(inputs.magnitude, _mm256_sign_epi8(w.raw, inputs.x));
  sum.raw = _mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

#elif HWY_TARGET == HWY_SSE4
template <>
struct FourInputs<false> {
  explicit HWY_INLINE FourInputs(int32_t four)
      : x(_mm_set1_epi32(four ^ static_cast<int32_t>(0x80808080))), magnitude(_mm_abs_epi8(x)) {}
  __m128i x, magnitude;
};

HWY_INLINE void add_products(IntVec& sum, const FourInputs<false>& inputs, IntVec w) {
  const __m128i pairs = _mm_maddubs_epi16(inputs.magnitude, _mm_sign_epi8(w.raw, inputs.x));
  sum.raw = _mm_add_epi32(sum.raw, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
}

#elif HWY_TARGET == HWY_NEON
template <>
struct FourInputs<true> {
  explicit HWY_INLINE FourInputs(int32_t four)
      : x(vreinterpretq_s8_s32(vdupq_n_s32(four ^ static_cast<int32_t>(0x80808080)))) {}
  int8x16_t x;
};
template <>
struct FourInputs<false> {
  explicit HWY_INLINE FourInputs(int32_t four)
      : x(vreinterpret_s8_s32(vdup_n_s32(four ^ static_cast<int32_t>(0x80808080)))) {}
  int8x8_t x;
};

HWY_INLINE void add_products(IntVec& sum, const FourInputs<true>& inputs, IntVec w) {
  // As a number, because assemblers know the instruction from ARMv8.2 on only, and HWY_NEON is
  // compiled for ARMv8.0: sdot %0.4s, %1.16b, %2.16b.
  asm(".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, "
      "22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      ".equ .Lregister_v\\number, \\number\n\t"
      ".endr\n\t"
      ".inst 0x4e809400 | .Lregister_%2 << 16 | .Lregister_%1 << 5 | .Lregister_%0"
      : "+w"(sum.raw)
      : "w"(inputs.x), "w"(w.raw));
}

HWY_INLINE void add_products(IntVec& sum, const FourInputs<false>& inputs, IntVec w) {
  const int8x16_t bytes = vreinterpretq_s8_s32(w.raw);
  const int32x4_t low = vpaddlq_s16(vmull_s8(inputs.x, vget_low_s8(bytes)));
  const int32x4_t high = vpaddlq_s16(vmull_s8(inputs.x, vget_high_s8(bytes)));
  sum.raw = vaddq_s32(sum.raw, vpaddq_s32(low, high));
}

#else
template <>
struct FourInputs<false> {
  explicit HWY_INLINE FourInputs(int32_t four) {
    uint8_t bytes[4];
    std::memcpy(bytes, &four, sizeof(bytes));
    for (size_t i = 0; i < 4; ++i) x[i] = bytes[i] - 128;
  }
  int32_t x[4];
};

HWY_INLINE void add_products(IntVec& sum, const FourInputs<false>& inputs, IntVec w) {
  static_assert(kLanes == 1);
  int8_t weights[4];
  std::memcpy(weights, &w.raw, sizeof(weights));
  for (size_t i = 0; i < 4; ++i) sum.raw += inputs.x[i] * weights[i];
}
#endif

inline constexpr size_t kGroupBytes = kInt8PanelColumns * kInt8GroupSize;

// Some columns of a panel, and what turns their sums into y.
struct Int8Part {
  const int8_t* panel;  // At the first column.
  size_t groups;
  const int32_t* sums;  // [columns of a tile]
  const float* scales;  // [count]
  const float* bias;    // [count] or null
  size_t count;         // Columns before the padding.
};

HWY_INLINE FloatVec scaled(IntVec sum, FloatVec row_scale, FloatVec scale, FloatVec bias,
                           Activation activation) {
  const FloatVec product = hn::Mul(hn::ConvertTo(FloatTag(), sum), row_scale);
  // Never a fused multiply-add: the same bits on every instruction set.
  return activated(hn::Add(hn::Mul(product, scale), bias), activation);
}

HWY_INLINE Int8Part part_of(const Int8Matrix& matrix, size_t column) {
  const size_t groups = (matrix.in + kInt8GroupSize - 1) / kInt8GroupSize;
  return {matrix.panels + column * groups * kInt8GroupSize,
          groups,
          matrix.sums + column,
          matrix.scales + column,
          matrix.bias == nullptr ? nullptr : matrix.bias + column,
          HWY_MIN(kInt8PanelColumns, matrix.out - column)};
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
