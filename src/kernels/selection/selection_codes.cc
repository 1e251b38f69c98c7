#include "kernels/selection/selection_codes.h"

#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/selection_codes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/selection/code_rows-inl.h"

// Shared by all instruction sets.
#ifndef EATT_KERNELS_SELECTION_CODES_TABLE_
#define EATT_KERNELS_SELECTION_CODES_TABLE_
namespace eatt::kernels {

// For each byte, the positions of its ones, one per byte of the entry, the first in the lowest.
inline constexpr std::array<uint64_t, 256> kOnesOfByte = [] {
  std::array<uint64_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    int entries = 0;
    for (uint64_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) table[byte] |= bit << (8 * entries++);
    }
  }
  return table;
}();

}  // namespace eatt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Codes of 64 features, or of the last `count` < 64 of a row.
template <bool per_feature>
HWY_INLINE uint64_t word_of_codes(const float* x, const float* threshold, size_t count) {
  const FloatTag d;
  const FloatVec common = hn::Set(d, *threshold);
  uint64_t word = 0;
  if (count == 64) {
#pragma GCC unroll 16
    for (size_t i = 0; i < 64; i += kLanes) {
      const FloatVec limit = per_feature ? hn::LoadU(d, threshold + i) : common;
      word |= bits_of(hn::Gt(hn::LoadU(d, x + i), limit)) << i;
    }
    return word;
  }
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t lanes = HWY_MIN(kLanes, count - i);
    const FloatVec limit = per_feature ? load_some(d, threshold + i, lanes) : common;
    word |= bits_of(hn::Gt(load_some(d, x + i, lanes), limit)) << i;
  }
  return word & ((uint64_t{1} << count) - 1);
}

template <bool per_feature>
size_t codes_of_rows(const float* x, size_t x_stride, size_t rows, size_t dim,
                     const float* threshold, uint64_t* bits) {
  size_t ones = 0;
  for (size_t row = 0; row < rows; ++row, x += x_stride) {
    for (size_t i = 0; i < dim; i += 64) {
      const uint64_t word = word_of_codes<per_feature>(x + i, threshold + (per_feature ? i : 0),
                                                       HWY_MIN(size_t{64}, dim - i));
      ones += static_cast<size_t>(std::popcount(word));
      *bits++ = word;
    }
  }
  return ones;
}

size_t selection_codes(const float* x, size_t x_stride, size_t rows, size_t dim,
                       const CodeThreshold& threshold, uint64_t* bits) {
  return threshold.per_feature
             ? codes_of_rows<true>(x, x_stride, rows, dim, threshold.values, bits)
             : codes_of_rows<false>(x, x_stride, rows, dim, threshold.values, bits);
}

void codes_to_floats(const uint64_t* bits, size_t rows, size_t dim, float* codes,
                     size_t codes_stride) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> du;
  const auto bit_of_lane = hn::Shl(hn::Set(du, 1), hn::Iota(du, 0));
  const FloatVec one = hn::Set(d, 1.0f);
  for (size_t row = 0; row < rows; ++row, codes += codes_stride, bits += code_words(dim)) {
    for_each_vector(dim, [&](size_t i, size_t lanes) HWY_ATTR {
      const auto word = static_cast<uint32_t>(bits[i / 64] >> (i % 64));
      const auto set = hn::TestBit(hn::Set(du, word), bit_of_lane);
      store_some(hn::IfThenElseZero(hn::RebindMask(d, set), one), d, codes + i, lanes);
    });
  }
}

// Appends the positions of the ones of a word, plus `base`; may write up to 64 bytes at `to`.
// Returns the end of the list.
HWY_INLINE uint8_t* append_ones(uint64_t word, uint64_t base, uint8_t* to) {
  constexpr uint64_t kEachByte = 0x0101010101010101;
#pragma GCC unroll 8
  for (uint64_t byte = 0; byte < 8; ++byte) {
    const auto bits = static_cast<uint8_t>(word >> (8 * byte));
    const uint64_t entries = kOnesOfByte[bits] + kEachByte * (base + 8 * byte);
    std::memcpy(to, &entries, 8);
    to += std::popcount(bits);
  }
  return to;
}

#if HWY_TARGET == HWY_AVX3
// The same with VBMI2, which compresses bytes.
HWY_INLINE uint8_t* append_ones_vbmi2(uint64_t word, __m512i positions, uint8_t* to) {
  __m512i ones;
  asm("vpcompressb %1, %0 %{%2%}%{z%}" : "=v"(ones) : "v"(positions), "Yk"(word));
  _mm512_storeu_si512(to, ones);
  return to + std::popcount(word);
}

inline bool cpu_has_vbmi2() {
  static const bool has = __builtin_cpu_supports("avx512vbmi2") != 0;
  return has;
}
#endif

// Calls append(word, 0 or 64, to) for the words of every list.
template <class Append>
HWY_INLINE void fill_lists(const uint64_t* bits, size_t rows, size_t dim, uint8_t* positions,
                           uint8_t* counts, const Append& append) {
  const size_t words = code_words(dim);
  for (size_t word = 0; word < words; word += 2) {
    for (size_t row = 0; row < rows; ++row, positions += kCodeBlock) {
      const uint64_t* block = bits + row * words + word;
      uint8_t* end = append(block[0], 0, positions);
      if (word + 1 < words) end = append(block[1], 64, end);
      *counts++ = static_cast<uint8_t>(end - positions);
    }
  }
}

void code_lists(const uint64_t* bits, size_t rows, size_t dim, uint8_t* positions,
                uint8_t* counts) {
#if HWY_TARGET == HWY_AVX3
  if (vnni_enabled() && cpu_has_vbmi2()) {
    const hn::ScalableTag<uint8_t> d8;
    const __m512i low = hn::Iota(d8, 0).raw;
    const __m512i high = hn::Iota(d8, 64).raw;
    fill_lists(bits, rows, dim, positions, counts,
               [&](uint64_t word, uint64_t base, uint8_t* to)
                   HWY_ATTR { return append_ones_vbmi2(word, base == 0 ? low : high, to); });
    return;
  }
#endif
  fill_lists(bits, rows, dim, positions, counts,
             [](uint64_t word, uint64_t base, uint8_t* to)
                 HWY_ATTR { return append_ones(word, base, to); });
}

// Swaps bit c of word r with bit r of word c: blocks of half the size each time.
inline void transpose_64(uint64_t (&block)[64]) {
  uint64_t mask = 0x00000000ffffffff;
  for (unsigned half = 32; half != 0; half /= 2, mask ^= mask << half) {
    for (unsigned first = 0; first < 64; first += 2 * half) {
      for (unsigned r = first; r < first + half; ++r) {
        const uint64_t swapped = ((block[r] >> half) ^ block[r + half]) & mask;
        block[r] ^= swapped << half;
        block[r + half] ^= swapped;
      }
    }
  }
}

void transpose_codes(const uint64_t* bits, size_t rows, size_t dim, uint64_t* transposed) {
  const size_t words = code_words(dim);
  const size_t row_words = code_words(rows);
  HWY_ALIGN uint64_t block[64];
  for (size_t r = 0; r < rows; r += 64) {
    const size_t height = HWY_MIN(size_t{64}, rows - r);
    for (size_t word = 0; word < words; ++word) {
      for (size_t i = 0; i < 64; ++i) block[i] = i < height ? bits[(r + i) * words + word] : 0;
      transpose_64(block);
      const size_t width = HWY_MIN(size_t{64}, dim - 64 * word);
      for (size_t i = 0; i < width; ++i) {
        transposed[(64 * word + i) * row_words + r / 64] = block[i];
      }
    }
  }
}

void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x) {
  const FloatTag d;
  const Bell bell(width);
  const FloatVec peak = hn::Set(d, bell.peak());
  for_each_code(rows, dim, threshold, [&](size_t i, size_t n, FloatVec limit) HWY_ATTR {
    const FloatVec slope =
        hn::Mul(bell.share_of_peak(hn::Sub(load_some(d, x + i, n), limit)), peak);
    store_some(hn::Mul(slope, load_some(d, d_code + i, n)), d, d_x + i, n);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(selection_codes);
HWY_EXPORT(codes_to_floats);
HWY_EXPORT(transpose_codes);
HWY_EXPORT(code_lists);

size_t selection_codes(const float* x, size_t x_stride, size_t rows, size_t dim,
                       const CodeThreshold& threshold, uint64_t* bits) noexcept {
  return EATT_DISPATCH(selection_codes)(x, x_stride, rows, dim, threshold, bits);
}

void codes_to_floats(const uint64_t* bits, size_t rows, size_t dim, float* codes,
                     size_t codes_stride) noexcept {
  EATT_DISPATCH(codes_to_floats)(bits, rows, dim, codes, codes_stride);
}

void transpose_codes(const uint64_t* bits, size_t rows, size_t dim, uint64_t* transposed) noexcept {
  EATT_DISPATCH(transpose_codes)(bits, rows, dim, transposed);
}

CodeLists code_lists(const uint64_t* bits, size_t rows, size_t dim, uint8_t* positions,
                     uint8_t* counts) noexcept {
  EATT_DISPATCH(code_lists)(bits, rows, dim, positions, counts);
  return {positions, counts, rows, dim};
}

HWY_EXPORT(surrogate_gradient);

void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x) noexcept {
  EATT_DISPATCH(surrogate_gradient)(x, d_code, rows, dim, threshold, width, d_x);
}

}  // namespace eatt::kernels
#endif
