#include "kernels/selection/selection_int8.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/selection_int8.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"

// Shared by all instruction sets.
#ifndef EATT_KERNELS_SELECTION_INT8_LAYOUT_
#define EATT_KERNELS_SELECTION_INT8_LAYOUT_
namespace eatt::kernels {

// Columns that are packed together, as 32 16-bit words.
inline constexpr size_t kInt8Columns = 64;
inline constexpr size_t kInt8Half = kInt8Columns / 2;

inline constexpr size_t padded_columns(size_t out) {
  return (out + kInt8Columns - 1) / kInt8Columns * kInt8Columns;
}

// Columns of a panel, except the last: a block of 128 features then takes 32 KB.
inline constexpr size_t kInt8Panel = 256;

// Added to the lower byte of a word to make it unsigned.
constexpr int excess_of(bool seven_bits) { return seven_bits ? 64 : 128; }

}  // namespace eatt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::ScalableTag<int16_t>;
using WordVec = hn::Vec<WordTag>;
inline constexpr size_t kWords = HWY_LANES(int16_t);

// Vectors of words that 64 columns take, and how many are summed at once: two sums each.
inline constexpr size_t kOne = kInt8Half / kWords;
inline constexpr size_t kMany = HWY_MAX(size_t{4}, kOne);

// sum += x. In assembly where g++ 12 would copy every sum.
HWY_INLINE void accumulate(WordVec& sum, const WordVec x) {
#if HWY_TARGET == HWY_AVX3
  asm("vpaddw %1, %0, %0" : "+v"(sum.raw) : "v"(x.raw));
#elif HWY_TARGET == HWY_AVX2
  asm("vpaddw %1, %0, %0" : "+x"(sum.raw) : "x"(x.raw));
#else
  sum = hn::Add(sum, x);
#endif
}

// Loads a vector once though it is used twice: g++ 12 would load it for each use.
HWY_INLINE WordVec load_once(const int16_t* from) {
  WordVec word = hn::LoadU(WordTag(), from);
#if HWY_TARGET == HWY_AVX3
  asm("" : "+v"(word.raw));
#elif HWY_TARGET == HWY_AVX2
  asm("" : "+x"(word.raw));
#endif
  return word;
}

// The lists of one row of codes, and where the weights of their first block start. Their sums are
// added to the result, or subtracted.
struct Selected {
  const CodeLists& codes;
  size_t row;
  size_t first_block;
  size_t end_block;
  const uint8_t* weights;
  size_t stride;
  bool subtract;
};

// to = start ± the sums, of 2 · vectors · kWords columns, a multiple of 64. `words` are the sums of
// words and `uppers` those of their upper bytes; sums of lower bytes are `excess` too high. All
// exact modulo 2^16.
template <size_t vectors>
HWY_INLINE void store_sums(const WordVec (&words)[vectors], const WordVec (&uppers)[vectors],
                           size_t excess, bool subtract, const int16_t* start, int16_t* to) {
  const WordTag d;
  const auto joined = [&](const int16_t* from, WordVec sums) HWY_ATTR {
    const WordVec before = hn::LoadU(d, from);
    return subtract ? hn::Sub(before, sums) : hn::Add(before, sums);
  };
  const WordVec excesses = hn::Set(d, static_cast<int16_t>(excess));
#pragma GCC unroll 8
  for (size_t v = 0; v < vectors; ++v) {
    const size_t word = v * kWords;
    const size_t at = word / kInt8Half * kInt8Columns + word % kInt8Half;
    const WordVec lowers = hn::Sub(hn::Sub(words[v], hn::ShiftLeft<8>(uppers[v])), excesses);
    hn::StoreU(joined(start + at, lowers), d, to + at);
    hn::StoreU(joined(start + at + kInt8Half, uppers[v]), d, to + at + kInt8Half);
  }
}

// Columns [column, column + 2 · vectors · kWords).
template <size_t vectors, bool seven_bits>
HWY_INLINE void select_group(const Selected& selected, size_t column, const int16_t* start,
                             int16_t* to) {
  const WordTag d;
  WordVec words[vectors], uppers[vectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < vectors; ++v) words[v] = uppers[v] = hn::Zero(d);
  size_t total = 0;
  const uint8_t* base = selected.weights + column;
  for (size_t b = selected.first_block; b < selected.end_block; ++b) {
    const uint8_t* list = selected.codes.list(b, selected.row);
    const size_t count = selected.codes.count(b, selected.row);
    const auto row = [&](size_t i) {
      return reinterpret_cast<const int16_t*>(base + list[i] * selected.stride);
    };
    size_t i = 0;
    if constexpr (seven_bits) {
      for (; i + 2 <= count; i += 2) {
        const int16_t* even = row(i);
        const int16_t* odd = row(i + 1);
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; ++v) {
          const WordVec both =
              hn::Add(hn::LoadU(d, even + v * kWords), load_once(odd + v * kWords));
          accumulate(words[v], both);
          accumulate(uppers[v], hn::ShiftRight<8>(both));
        }
      }
    }
    for (; i < count; ++i) {
      const int16_t* one = row(i);
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) {
        const WordVec word = load_once(one + v * kWords);
        accumulate(words[v], word);
        accumulate(uppers[v], hn::ShiftRight<8>(word));
      }
    }
    total += count;
    base += kCodeBlock * selected.stride;
  }
  store_sums(words, uppers, total * static_cast<size_t>(excess_of(seven_bits)), selected.subtract,
             start + column, to + column);
}

// As many groups of `vectors` as fit into [column, columns); returns where they end.
template <size_t vectors, bool seven_bits>
HWY_INLINE size_t select_groups(const Selected& selected, size_t column, size_t columns,
                                const int16_t* start, int16_t* to) {
  constexpr size_t kWidth = 2 * vectors * kWords;
  for (; column + kWidth <= columns; column += kWidth) {
    select_group<vectors, seven_bits>(selected, column, start, to);
  }
  return column;
}

// `columns` of a row; start and to may be the same.
template <bool seven_bits>
HWY_INLINE void select_columns(const Selected& selected, size_t columns, const int16_t* start,
                               int16_t* to) {
  size_t column = select_groups<kMany, seven_bits>(selected, 0, columns, start, to);
  column = select_groups<kOne, seven_bits>(selected, column, columns, start, to);
  if (column == columns) return;
  HWY_ALIGN int16_t last[kInt8Columns] = {};
  std::memcpy(last, start + column, (columns - column) * sizeof(int16_t));
  Selected rest = selected;
  rest.weights += column;
  select_group<kOne, seven_bits>(rest, 0, last, last);
  std::memcpy(to + column, last, (columns - column) * sizeof(int16_t));
}

// Copies the bias of columns [column, column + count), if there is one.
HWY_INLINE void copy_bias(const int16_t* bias, size_t column, size_t count, int16_t* to) {
  if (bias != nullptr) std::memcpy(to, bias + column, count * sizeof(int16_t));
}

// Whether rows [begin, end) of codes select so many rows of the weights that to read all of them in
// order takes less time than to read the selected ones in the order of the lists.
HWY_INLINE bool select_many(const CodeLists& codes, size_t begin, size_t end) {
  size_t ones = 0;
  for (size_t block = 0; block < code_blocks(codes.dim); ++block) {
    for (size_t row = begin; row < end; ++row) ones += codes.count(block, row);
  }
  return 2 * ones >= codes.dim;
}

// Reads memory from one end to the other, so that it is in the cache afterwards. (Prefetches alone
// are dropped where there are too many at a time.)
HWY_INLINE void read_through(const uint8_t* from, size_t bytes) {
  constexpr size_t kLine = 64, kAhead = 4096;
  for (size_t i = 0; i < bytes; i += kLine) {
    __builtin_prefetch(from + i + kAhead);
    static_cast<void>(*static_cast<const volatile uint8_t*>(from + i));
  }
}

// Few rows: one at a time, with all of its lists.
template <bool seven_bits>
HWY_INLINE void select_from_int8_rows(const CodeLists& codes, const uint8_t* packed, size_t out,
                                      const int16_t* bias, int16_t* result, size_t stride,
                                      Joining joining) {
  const size_t width = padded_columns(out);
  constexpr size_t kMostBytes = 1 << 20;  // What a second cache holds.
  const size_t bytes = codes.dim * width;
  if (bytes <= kMostBytes && select_many(codes, 0, codes.rows)) read_through(packed, bytes);
  for (size_t row = 0; row < codes.rows; ++row, result += stride) {
    if (joining == Joining::start) {
      std::memset(result, 0, out * sizeof(int16_t));
      copy_bias(bias, 0, out, result);
    }
    select_columns<seven_bits>(
        {codes, row, 0, code_blocks(codes.dim), packed, width, joining == Joining::subtract}, out,
        result, result);
  }
}

// Rows [begin, end), panel by panel and block by block.
template <bool seven_bits>
HWY_INLINE void select_from_int8_panels(const CodeLists& codes, size_t begin, size_t end,
                                        const uint8_t* packed, size_t out, const int16_t* bias,
                                        int16_t* result, size_t stride, Joining joining) {
  const bool subtract = joining == Joining::subtract, many = select_many(codes, begin, end);
  HWY_ALIGN int16_t first[kInt8Panel] = {};
  for (size_t column = 0; column < out; column += kInt8Panel) {
    const size_t columns = HWY_MIN(kInt8Panel, out - column);
    const size_t width = padded_columns(columns);
    copy_bias(bias, column, columns, first);
    if (many) read_through(packed, codes.dim * width);
    for (size_t block = 0; block < code_blocks(codes.dim); ++block) {
      const uint8_t* weights = packed + block * kCodeBlock * width;
      for (size_t row = begin; row < end; ++row) {
        int16_t* to = result + row * stride + column;
        const bool from_bias = joining == Joining::start && block == 0;
        select_columns<seven_bits>({codes, row, block, block + 1, weights, width, subtract},
                                   columns, from_bias ? first : to, to);
      }
    }
    packed += codes.dim * width;
  }
}

template <bool seven_bits>
HWY_INLINE void select_packed(const CodeLists& codes, const uint8_t* packed, Int8Layout layout,
                              size_t out, const int16_t* bias, int16_t* result, size_t stride,
                              Joining joining) {
  constexpr size_t kRowTile = 256;  // Results that stay in the L2 cache.
  if (layout == Int8Layout::rows || codes.dim == 0) {
    select_from_int8_rows<seven_bits>(codes, packed, out, bias, result, stride, joining);
    return;
  }
  for (size_t row = 0; row < codes.rows; row += kRowTile) {
    select_from_int8_panels<seven_bits>(codes, row, HWY_MIN(row + kRowTile, codes.rows), packed,
                                        out, bias, result, stride, joining);
  }
}

void select_int8(const CodeLists& codes, const uint8_t* packed, const Int8Packing& packing,
                 size_t out, const int16_t* bias, int16_t* result, size_t result_stride,
                 Joining joining) {
  if (out == 0) return;
  if (packing.seven_bits) {
    select_packed<true>(codes, packed, packing.layout, out, bias, result, result_stride, joining);
  } else {
    select_packed<false>(codes, packed, packing.layout, out, bias, result, result_stride, joining);
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(select_int8);

size_t selection_int8_size(size_t in, size_t out) noexcept { return in * padded_columns(out); }

namespace {

// Calls body(column, input, offset of its byte, whether that is the lower byte of a word) for all
// columns, padding included, and all inputs.
template <class Body>
void for_each_packed(size_t in, size_t out, const Int8Packing& packing, const Body& body) {
  const size_t padded = padded_columns(out);
  const size_t panel = packing.layout == Int8Layout::panels ? kInt8Panel : padded;
  size_t start = 0;  // Of the bytes of an input.
  for (size_t first = 0; first < out; first += panel) {
    const size_t width = std::min(panel, padded - first);
    for (size_t i = 0; i < in; ++i, start += width) {
      for (size_t c = 0; c < width; ++c) {
        const size_t within = c % kInt8Columns;
        const bool lower = within < kInt8Half;
        const size_t byte = lower ? 2 * within : 2 * (within - kInt8Half) + 1;
        body(first + c, i, start + c - within + byte, lower);
      }
    }
  }
}

}  // namespace

void pack_selection_int8(const int8_t* weight, size_t in, size_t out, const Int8Packing& packing,
                         uint8_t* packed) noexcept {
  const int excess = excess_of(packing.seven_bits);
  for_each_packed(in, out, packing, [&](size_t column, size_t i, size_t byte, bool lower) {
    const int value = column < out ? weight[column * in + i] : 0;
    packed[byte] = static_cast<uint8_t>(lower ? value + excess : value);
  });
}

void unpack_selection_int8(const uint8_t* packed, size_t in, size_t out, const Int8Packing& packing,
                           int8_t* weight) noexcept {
  const int excess = excess_of(packing.seven_bits);
  for_each_packed(in, out, packing, [&](size_t column, size_t i, size_t byte, bool lower) {
    if (column >= out) return;
    weight[column * in + i] = static_cast<int8_t>(lower ? packed[byte] - excess : packed[byte]);
  });
}

void select_int8(const CodeLists& codes, const uint8_t* packed, const Int8Packing& packing,
                 size_t out, const int16_t* bias, int16_t* result, size_t result_stride,
                 Joining joining) noexcept {
  EATT_DISPATCH(select_int8)(codes, packed, packing, out, bias, result, result_stride, joining);
}

}  // namespace eatt::kernels
#endif
