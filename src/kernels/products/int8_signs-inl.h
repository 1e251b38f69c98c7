// Products of int8 by many rows without VNNI. The instruction that adds two products of bytes takes
// one side without sign. Giving the other side both signs costs an instruction for each product, so
// the signs go elsewhere: in a pair of inputs,
//   x0·w0 + x1·w1 = sign(x0) · (|x0|·w0 + |x1|·(±w1)),  − if the signs of x0 and x1 differ.
// Four inputs are two pairs, so four variants of a group of weights are all there are. They are
// made once for all rows; the row chooses one by its address. The factors sign(x0) cost nothing:
// pairs are added by a multiplication anyway.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/products/int8_dot-inl.h"

#if defined(EATT_KERNELS_INT8_SIGNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INT8_SIGNS_INL_H_
#undef EATT_KERNELS_INT8_SIGNS_INL_H_
#else
#define EATT_KERNELS_INT8_SIGNS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2

// Groups of inputs that are multiplied before the next variants are made: variants of a panel for
// them are 16 KB, which stay in the L1 cache.
inline constexpr size_t kSignGroups = 16;
inline constexpr size_t kSignInputs = kSignGroups * kInt8GroupSize;
inline constexpr size_t kVariants = 4;
inline constexpr size_t kPanelVectors = kInt8PanelColumns / kLanes;

// A row of kSignInputs inputs, each group in 32 bits.
struct alignas(64) SignedInputs {
  int32_t magnitudes[kSignGroups];  // |x| of four inputs.
  int32_t signs[kSignGroups];       // 1 or −1, of the first input of each pair, in 16 bits.
  int32_t variants[kSignGroups];    // Where the variant is, in bytes.
};

// With fewer rows, making variants takes longer than it saves.
inline constexpr size_t kRowsForSigns = 8;
// Inputs of a block of rows. They stay in the L2 cache.
inline constexpr size_t kSignedBlock = 1024;
inline constexpr size_t kMostSignedRows = 128;

HWY_INLINE void split_signs(const uint8_t* x, SignedInputs& to) {
  const IntTag d;
  const hn::Repartition<int8_t, IntTag> bytes;
  const hn::Repartition<int16_t, IntTag> words;
  for (size_t i = 0; i < kSignGroups; i += kLanes) {
    const auto raw = hn::LoadU(hn::Repartition<uint8_t, IntTag>(), x + i * kInt8GroupSize);
    const auto numbers = hn::Xor(hn::BitCast(bytes, raw), hn::Set(bytes, int8_t{-128}));
    const auto first = hn::ShiftLeft<8>(hn::BitCast(words, numbers));  // Its sign is that of x0.
    hn::Store(hn::BitCast(d, hn::Abs(numbers)), d, to.magnitudes + i);
    const auto signs = hn::Or(hn::ShiftRight<15>(first), hn::Set(words, int16_t{1}));
    hn::Store(hn::BitCast(d, signs), d, to.signs + i);
    // Bits 15 and 31 say which pairs have two signs.
    const auto differ = hn::BitCast(d, hn::Xor(first, hn::BitCast(words, numbers)));
    const auto low = hn::And(hn::ShiftRight<7>(differ), hn::Set(d, 1 << 8));
    const auto high = hn::And(hn::ShiftRight<22>(differ), hn::Set(d, 1 << 9));
    static_assert(kGroupBytes == 1 << 8);
    hn::Store(hn::Or(low, high), d, to.variants + i);
  }
}

// Variant `number` of weights: 1 and 3 change the sign of the second of four, 2 and 3 that of the
// fourth.
template <size_t number>
HWY_INLINE void store_variant(IntVec weights, int8_t* to) {
  constexpr uint32_t kSecond = (number & 1) != 0 ? 0xff00 : 0;
  constexpr uint32_t kFourth = (number & 2) != 0 ? 0xff000000 : 0;
#if HWY_TARGET == HWY_AVX3
  const __mmask64 negative = _mm512_movepi8_mask(_mm512_set1_epi32(kSecond | kFourth));
  weights.raw = _mm512_mask_sub_epi8(weights.raw, negative, _mm512_setzero_si512(), weights.raw);
#else
  constexpr uint32_t kSigns = 0x01010101 | kSecond | kFourth;
  weights.raw = _mm256_sign_epi8(weights.raw, _mm256_set1_epi32(static_cast<int32_t>(kSigns)));
#endif
  hn::Store(weights, IntTag(), reinterpret_cast<int32_t*>(to + number * kGroupBytes));
}

// variants [groups][kVariants][64 columns][4 inputs]
HWY_INLINE void make_variants(const int8_t* weights, size_t groups, int8_t* variants) {
  for (size_t g = 0; g < groups; ++g, variants += kVariants * kGroupBytes) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kPanelVectors; ++v, weights += kLanes * kInt8GroupSize) {
      const IntVec w = hn::LoadU(IntTag(), reinterpret_cast<const int32_t*>(weights));
      int8_t* to = variants + v * kLanes * kInt8GroupSize;
      store_variant<0>(w, to);
      store_variant<1>(w, to);
      store_variant<2>(w, to);
      store_variant<3>(w, to);
    }
  }
}

// sum += the products of one group. Sums of two products of up to 127 · 127 do not saturate.
HWY_INLINE void add_signed(IntVec& sum, IntVec magnitudes, IntVec signs, const int8_t* weights) {
#if HWY_TARGET == HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(magnitudes.raw, _mm512_load_si512(weights));
  sum.raw = _mm512_add_epi32(sum.raw, _mm512_madd_epi16(pairs, signs.raw));
#else
  const __m256i w = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
  const __m256i pairs = _mm256_maddubs_epi16(magnitudes.raw, w);
  sum.raw = _mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, signs.raw));
#endif
}

// sums [64] += the products of a row and `groups` groups of a panel; from zero if it is the first.
// Unrolling the loop over groups made it slower.
HWY_INLINE void add_signed_row(const SignedInputs& x, const int8_t* variants, size_t groups,
                               bool first, int32_t* sums) {
  const IntTag d;
  IntVec sum[kPanelVectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < kPanelVectors; ++v) {
    sum[v] = first ? hn::Zero(d) : hn::Load(d, sums + v * kLanes);
  }
  for (size_t g = 0; g < groups; ++g, variants += kVariants * kGroupBytes) {
    const IntVec magnitudes = hn::Set(d, x.magnitudes[g]), signs = hn::Set(d, x.signs[g]);
    const int8_t* weights = variants + x.variants[g];
#pragma GCC unroll 8
    for (size_t v = 0; v < kPanelVectors; ++v) {
      add_signed(sum[v], magnitudes, signs, weights + v * kLanes * kInt8GroupSize);
    }
  }
#pragma GCC unroll 8
  for (size_t v = 0; v < kPanelVectors; ++v) hn::Store(sum[v], d, sums + v * kLanes);
}

// A panel times rows of inputs [steps][rows], into sums [rows, 64].
HWY_INLINE void multiply_signed(const Int8Part& part, const SignedInputs* x, size_t rows,
                                int32_t* sums) {
  alignas(64) int8_t variants[kSignGroups * kVariants * kGroupBytes];
  const size_t steps = (part.groups + kSignGroups - 1) / kSignGroups;
  constexpr size_t kStepBytes = kSignGroups * kGroupBytes;
  const size_t ahead = (kStepBytes + rows - 1) / rows;
  for (size_t step = 0; step < steps; ++step) {
    const size_t groups = HWY_MIN(kSignGroups, part.groups - step * kSignGroups);
    const int8_t* weights = part.panel + step * kStepBytes;
    make_variants(weights, groups, variants);
    for (size_t r = 0; r < rows; ++r) {
      // Each row prefetches its share of the next weights.
      for (size_t byte = 0; byte < ahead; byte += kCacheLine) {
        __builtin_prefetch(weights + kStepBytes + r * ahead + byte);
      }
      add_signed_row(x[step * rows + r], variants, groups, step == 0, sums + r * kInt8PanelColumns);
    }
  }
}

// sums [rows, 64] → y, row by row so that neighbouring cache lines are written together.
HWY_INLINE void store_signed_sums(const int32_t* sums, const Int8Part& part,
                                  const float* row_scales, size_t rows, const ProductResult& y) {
  const FloatTag d;
  const IntTag di;
  for (size_t r = 0; r < rows; ++r, sums += kInt8PanelColumns) {
    const FloatVec row_scale = hn::Set(d, row_scales[r]);
    for_each_vector(part.count, [&](size_t column, size_t lanes) HWY_ATTR {
      const FloatVec scale = load_some(d, part.scales + column, lanes);
      const FloatVec bias =
          part.bias == nullptr ? hn::Zero(d) : load_some(d, part.bias + column, lanes);
      const IntVec sum = hn::Load(di, sums + column);
      store_some(scaled(sum, row_scale, scale, bias, y.activation), d,
                 y.data + r * y.stride + column, lanes);
    });
  }
}

void signed_block(const Int8Matrix& matrix, const QuantizedRows& x, const ProductResult& result) {
  SignedInputs inputs[kSignedBlock];
  alignas(64) int32_t sums[kMostSignedRows * kInt8PanelColumns];
  const size_t steps = x.stride / kSignInputs;
  for (size_t step = 0; step < steps; ++step) {
    for (size_t r = 0; r < x.rows; ++r) {
      split_signs(x.values + r * x.stride + step * kSignInputs, inputs[step * x.rows + r]);
    }
  }
  for (size_t column = 0; column < matrix.out; column += kInt8PanelColumns) {
    const Int8Part part = part_of(matrix, column);
    multiply_signed(part, inputs, x.rows, sums);
    store_signed_sums(sums, part, x.scales, x.rows,
                      {result.data + column, result.stride, result.activation});
  }
}

// Rows in one block, if they are split by signs; 0 where that does not pay.
HWY_INLINE size_t signed_block_rows(const QuantizedRows& x) {
  const size_t most =
      HWY_MIN(kSignedBlock * kSignInputs / HWY_MAX(x.stride, size_t{1}), kMostSignedRows);
  return x.stride == 0 || HWY_MIN(most, x.rows) < kRowsForSigns ? 0 : most;
}
#endif

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
