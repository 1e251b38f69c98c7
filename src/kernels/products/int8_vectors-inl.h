// Products of int8 by vectors: VNNI, or pairs of 16-bit products.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/products/int8_dot-inl.h"

#if defined(EATT_KERNELS_INT8_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INT8_VECTORS_INL_H_
#undef EATT_KERNELS_INT8_VECTORS_INL_H_
#else
#define EATT_KERNELS_INT8_VECTORS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Weights that a tile prefetches while it computes: its share of those that come next, so that
// memory is read in order and busy all the time.
struct PrefetchedWeights {
  const int8_t* from;
  size_t groups;  // Of a tile's width each.
};

// Rows, and vectors of columns, of a tile whose sums fit in registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
template <bool vnni>
inline constexpr size_t kInt8TileRows = 6;
constexpr size_t vectors_beside(size_t) { return 4; }
#else
// With VNNI nothing but sums, inputs and weights needs a register.
template <bool vnni>
inline constexpr size_t kInt8TileRows = vnni ? 6 : 4;
constexpr size_t vectors_beside(size_t rows) { return rows == 1 ? HWY_MAX(kLanes, size_t{4}) : 2; }
#endif

// Vector v of the sums → y. No lambdas here: they would keep the sums in memory.
template <size_t rows, size_t vectors>
HWY_INLINE void store_scaled(const IntVec (&sums)[rows][vectors], size_t v, const Int8Part& part,
                             const float* row_scales, const ProductResult& y) {
  const FloatTag d;
  const size_t start = v * kLanes;
  if (start >= part.count) return;
  const size_t lanes = HWY_MIN(kLanes, part.count - start);
  const FloatVec scale = load_some(d, part.scales + start, lanes);
  const FloatVec bias = part.bias == nullptr ? hn::Zero(d) : load_some(d, part.bias + start, lanes);
  FloatVec values[rows];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
    values[r] = scaled(sums[r][v], hn::Set(d, row_scales[r]), scale, bias, y.activation);
  }
  float* to = y.data + start;
  if (lanes == kLanes) {
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; ++r) hn::StoreU(values[r], d, to + r * y.stride);
  } else {
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; ++r) store_first(values[r], d, to + r * y.stride, lanes);
  }
}

HWY_INLINE int32_t load_four(const uint8_t* from) {
  int32_t four;
  std::memcpy(&four, from, sizeof(four));
  return four;
}

// sums += the products of one group of inputs.
template <bool vnni, size_t rows, size_t vectors>
HWY_INLINE void add_group(const uint8_t* x, size_t x_stride, const int8_t* weights,
                          IntVec (&sums)[rows][vectors]) {
  const IntTag d;
  IntVec w[vectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < vectors; ++v) {
    w[v] = hn::LoadU(d, reinterpret_cast<const int32_t*>(weights) + v * kLanes);
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
    const FourInputs<vnni> inputs(load_four(x + r * x_stride));
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) add_products(sums[r][v], inputs, w[v]);
  }
}

// `rows` rows times the first vectors_beside(rows) vectors of columns of `part`.
template <bool vnni, size_t rows>
HWY_NOINLINE void int8_tile(const Int8Part& part, const PrefetchedWeights& ahead, const uint8_t* x,
                            size_t x_stride, const float* row_scales, const ProductResult& y) {
  constexpr size_t kVectors = vectors_beside(rows);
  constexpr size_t kBytes = kVectors * kLanes * kInt8GroupSize;
  const auto prefetch = [&](size_t group) {
    if (group >= ahead.groups) return;
    for (size_t byte = 0; byte < kBytes; byte += kCacheLine) {
      __builtin_prefetch(ahead.from + group * kBytes + byte, /*rw=*/0, kL2Cache);
    }
  };
  const IntTag d;
  IntVec sums[rows][kVectors], odd[rows][kVectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = start_of<vnni>(hn::LoadU(d, part.sums + v * kLanes));
      odd[r][v] = hn::Zero(d);
    }
  }
  const int8_t* weights = part.panel;
  size_t group = 0;
  // A few sums alone would be limited by latency: take twice as many and add them at the end.
  constexpr bool kTwice = rows * kVectors <= 8 && kLanes > 8;
  for (; kTwice && group + 2 <= part.groups; group += 2, x += 2 * kInt8GroupSize) {
    prefetch(group);
    prefetch(group + 1);
    add_group<vnni>(x, x_stride, weights, sums);
    add_group<vnni>(x + kInt8GroupSize, x_stride, weights + kGroupBytes, odd);
    weights += 2 * kGroupBytes;
  }
  for (; group < part.groups; ++group, x += kInt8GroupSize, weights += kGroupBytes) {
    prefetch(group);
    add_group<vnni>(x, x_stride, weights, sums);
  }
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
    for (size_t r = 0; kTwice && r < rows; ++r) sums[r][v] = hn::Add(sums[r][v], odd[r][v]);
    store_scaled(sums, v, part, row_scales, y);
  }
}

// How far ahead weights are prefetched if one tile uses them up in order: enough to hide the
// latency of memory.
inline constexpr size_t kAheadBytes = 4096;

// What the tile of rows number `tile` of `tiles` prefetches beside the columns from `column` on.
template <size_t columns>
HWY_INLINE PrefetchedWeights share_of_next(const Int8Part& part, size_t column, size_t tile,
                                           size_t tiles) {
  if (columns == kInt8PanelColumns && tiles == 1) return {part.panel + kAheadBytes, part.groups};
  const size_t share = (part.groups + tiles - 1) / tiles;
  const int8_t* next = part.panel + part.groups * kGroupBytes;
  return {next + (column * part.groups + tile * share * columns) * kInt8GroupSize, share};
}

// All columns of a panel, tile by tile.
template <bool vnni, size_t rows>
HWY_INLINE void int8_rows(const Int8Part& panel, size_t tile, size_t tiles, const uint8_t* x,
                          size_t x_stride, const float* row_scales, ProductResult y) {
  constexpr size_t kColumns = vectors_beside(rows) * kLanes;
  Int8Part part = panel;
  for (size_t column = 0;; column += kColumns) {
    const PrefetchedWeights ahead = share_of_next<kColumns>(panel, column, tile, tiles);
    int8_tile<vnni, rows>(part, ahead, x, x_stride, row_scales, y);
    if (part.count <= kColumns) return;
    part.panel += kColumns * kInt8GroupSize;
    part.sums += kColumns;
    part.scales += kColumns;
    if (part.bias != nullptr) part.bias += kColumns;
    part.count -= kColumns;
    y.data += kColumns;
  }
}

template <bool vnni>
HWY_INLINE void product_by_vectors(const Int8Matrix& matrix, const QuantizedRows& x,
                                   const ProductResult& result) {
  const size_t tiles = (x.rows + kInt8TileRows<vnni> - 1) / kInt8TileRows<vnni>;
  for (size_t column = 0; column < matrix.out; column += kInt8PanelColumns) {
    const Int8Part part = part_of(matrix, column);
    size_t tile = 0;
    for_each_row_tile(x.rows, kInt8TileRows<vnni>, [&](size_t first, size_t count) HWY_ATTR {
      const ProductResult y = {result.data + first * result.stride + column, result.stride,
                               result.activation};
      const auto rows_of = [&](auto rows) HWY_ATTR {
        int8_rows<vnni, rows>(part, tile, tiles, x.values + first * x.stride, x.stride,
                              x.scales + first, y);
      };
      with_row_count<kInt8TileRows<vnni>>(count, rows_of);
      ++tile;
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
