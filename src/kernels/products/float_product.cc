#include <cstring>

#include "kernels/products/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/products/float_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/products/product_rows-inl.h"
#include "kernels/simd/transpose-inl.h"

// Shared by all instruction sets.
#ifndef EATT_KERNELS_FLOAT_PRODUCT_LAYOUT_
#define EATT_KERNELS_FLOAT_PRODUCT_LAYOUT_
namespace eatt::kernels {

// Packed weights: [⌈out/32⌉ panels][in][32 columns], the last panel padded with zeros.
inline constexpr size_t kFloatPanel = 32;

}  // namespace eatt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void pack_float_panels(const float* weight, size_t in, size_t out, float* panels) {
  for (size_t first = 0; first < out; first += kFloatPanel, panels += in * kFloatPanel) {
    const size_t columns = HWY_MIN(kFloatPanel, out - first);
    if (columns < kFloatPanel) std::memset(panels, 0, in * kFloatPanel * sizeof(float));
    transpose(weight + first * in, in, columns, in, panels, kFloatPanel);
  }
}

// How far ahead weights are prefetched: enough to hide the latency of memory.
inline constexpr size_t kAheadFloats = 1024;
inline constexpr size_t kLineFloats = kCacheLine / sizeof(float);

// What a tile prefetches while it computes. With few rows, the weights that it needs next. With
// many, several tiles of rows use the same weights, and each tile prefetches a part of the block
// after them, so that memory is busy all the time and not only for the first tile.
struct Prefetch {
  const float* from = nullptr;  // Null: only what the tile itself needs next.
  size_t lines = 0;
};

// The sums of a tile stay in registers: rows × parts × 2 vectors. A part is two vectors of columns,
// which is a full panel for the widest vectors.
inline constexpr size_t kVectors = 2;
inline constexpr size_t kPartColumns = kVectors * kLanes;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kFloatTileRows = 12;
// A few sums alone would be limited by the latency of additions, and one stream from memory is
// slower than several.
constexpr size_t parts_beside(size_t rows) { return rows == 1 ? 4 : rows <= 3 ? 2 : 1; }
#else
inline constexpr size_t kFloatTileRows = 6;
constexpr size_t parts_beside(size_t rows) { return rows == 1 ? 2 : 1; }
#endif

// Where column `column`, a multiple of kPartColumns, starts in the packed weights.
HWY_INLINE const float* part_at(const FloatMatrix& matrix, size_t column) {
  return matrix.panels + column / kFloatPanel * matrix.in * kFloatPanel + column % kFloatPanel;
}

// Every sum starts at zero and adds one input after the other, whatever the shape of the tile.
template <size_t rows, size_t parts>
HWY_INLINE void add_inputs(const float* const (&weights)[parts], size_t in, const float* x,
                           size_t x_stride, const Prefetch& prefetch,
                           FloatVec (&sums)[parts][rows][kVectors]) {
  const FloatTag d;
  for (size_t i = 0; i < in; ++i) {
    if (i < prefetch.lines) __builtin_prefetch(prefetch.from + i * kLineFloats, /*rw=*/0, kL2Cache);
    FloatVec w[parts][kVectors];
#pragma GCC unroll 4
    for (size_t p = 0; p < parts; ++p) {
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) {
        const float* from = weights[p] + i * kFloatPanel + v * kLanes;
        if (v * kLanes % kLineFloats == 0) __builtin_prefetch(from + kAheadFloats);
        w[p][v] = hn::LoadU(d, from);
      }
    }
#pragma GCC unroll 12
    for (size_t r = 0; r < rows; ++r) {
      const FloatVec input = hn::Set(d, x[r * x_stride + i]);
#pragma GCC unroll 4
      for (size_t p = 0; p < parts; ++p) {
#pragma GCC unroll 2
        for (size_t v = 0; v < kVectors; ++v) {
          sums[p][r][v] = hn::MulAdd(input, w[p][v], sums[p][r][v]);
        }
      }
    }
  }
}

// All rows are multiplied by a block of columns before the next one. The weights of this block and
// of the next fit into the L2 cache.
inline constexpr size_t kBlockBytes = 256 << 10;
HWY_INLINE size_t block_columns(size_t in) {
  const size_t panel_bytes = HWY_MAX(in, size_t{1}) * kFloatPanel * sizeof(float);
  return HWY_MAX(kBlockBytes / panel_bytes, size_t{1}) * kFloatPanel;
}

// What tile number `tile` prefetches while it computes the part at `column`: its share of the same
// part of the next block.
HWY_INLINE Prefetch share_of_next(const FloatMatrix& matrix, size_t column, size_t tile,
                                  size_t tiles) {
  if (tiles < 2) return {};
  const size_t lines = matrix.in * kPartColumns / kLineFloats;
  const size_t begin = lines * tile / tiles, end = lines * (tile + 1) / tiles;
  const size_t next = column + block_columns(matrix.in);
  if (next >= matrix.out) return {matrix.panels, 0};
  return {matrix.panels + next * matrix.in + begin * kLineFloats, end - begin};
}

template <size_t rows, size_t parts>
HWY_NOINLINE void float_tile(const FloatMatrix& matrix, size_t column, const float* x,
                             size_t x_stride, const Prefetch& prefetch, const ProductResult& y) {
  const FloatTag d;
  const float* weights[parts];
  FloatVec sums[parts][rows][kVectors];
#pragma GCC unroll 4
  for (size_t p = 0; p < parts; ++p) {
    weights[p] = part_at(matrix, column + p * kPartColumns);
#pragma GCC unroll 12
    for (size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) sums[p][r][v] = hn::Zero(d);
    }
  }
  add_inputs(weights, matrix.in, x, x_stride, prefetch, sums);
#pragma GCC unroll 4
  for (size_t p = 0; p < parts; ++p) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t start = column + p * kPartColumns + v * kLanes;
      if (start >= matrix.out) return;
      const size_t lanes = HWY_MIN(kLanes, matrix.out - start);
      const FloatVec bias =
          matrix.bias == nullptr ? hn::Zero(d) : load_some(d, matrix.bias + start, lanes);
      float* to = y.data + start;
#pragma GCC unroll 12
      for (size_t r = 0; r < rows; ++r) {
        sums[p][r][v] = activated(hn::Add(sums[p][r][v], bias), y.activation);
      }
      if (lanes == kLanes) {
#pragma GCC unroll 12
        for (size_t r = 0; r < rows; ++r) hn::StoreU(sums[p][r][v], d, to + r * y.stride);
      } else {
#pragma GCC unroll 12
        for (size_t r = 0; r < rows; ++r) store_first(sums[p][r][v], d, to + r * y.stride, lanes);
      }
    }
  }
}

// Columns [begin, end) of `rows` rows, tile number `tile` of `tiles`.
template <size_t rows>
HWY_INLINE void float_rows(const FloatMatrix& matrix, size_t begin, size_t end, const float* x,
                           size_t x_stride, size_t tile, size_t tiles, const ProductResult& y) {
  constexpr size_t kParts = parts_beside(rows);
  size_t column = begin;
  for (; column + (kParts - 1) * kPartColumns < end; column += kParts * kPartColumns) {
    float_tile<rows, kParts>(matrix, column, x, x_stride,
                             share_of_next(matrix, column, tile, tiles), y);
  }
  for (; column < end; column += kPartColumns) {
    float_tile<rows, 1>(matrix, column, x, x_stride, share_of_next(matrix, column, tile, tiles), y);
  }
}

void float_product(const FloatMatrix& matrix, const float* x, size_t x_stride, size_t rows,
                   const ProductResult& result) {
  const size_t tiles = (rows + kFloatTileRows - 1) / kFloatTileRows;
  const size_t block = block_columns(matrix.in);
  for (size_t begin = 0; begin < matrix.out; begin += block) {
    const size_t end = HWY_MIN(begin + block, matrix.out);
    size_t tile = 0;
    for_each_row_tile(rows, kFloatTileRows, [&](size_t first, size_t count) HWY_ATTR {
      const ProductResult y = {result.data + first * result.stride, result.stride,
                               result.activation};
      const auto rows_of = [&](auto tile_rows) HWY_ATTR {
        float_rows<tile_rows>(matrix, begin, end, x + first * x_stride, x_stride, tile, tiles, y);
      };
      with_row_count<kFloatTileRows>(count, rows_of);
      ++tile;
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pack_float_panels);
HWY_EXPORT(float_product);

size_t float_panels_size(size_t in, size_t out) noexcept {
  return (out + kFloatPanel - 1) / kFloatPanel * kFloatPanel * in;
}

void pack_float_panels(const float* weight, size_t in, size_t out, float* panels) noexcept {
  EATT_DISPATCH(pack_float_panels)(weight, in, out, panels);
}

void float_product(const FloatMatrix& matrix, const float* x, size_t x_stride, size_t rows,
                   const ProductResult& result) noexcept {
  EATT_DISPATCH(float_product)(matrix, x, x_stride, rows, result);
}

void gather_float_panels(const FloatMatrix& matrix, std::span<const int32_t> columns,
                         float* panels) noexcept {
  if (columns.size() % kFloatPanel != 0) {
    const size_t last = matrix.in * kFloatPanel;
    std::memset(panels + float_panels_size(matrix.in, columns.size()) - last, 0,
                last * sizeof(float));
  }
  const auto start = [&](size_t column) {
    return column / kFloatPanel * matrix.in * kFloatPanel + column % kFloatPanel;
  };
  for (size_t c = 0; c < columns.size(); ++c) {
    const float* from = matrix.panels + start(static_cast<size_t>(columns[c]));
    float* to = panels + start(c);
    for (size_t i = 0; i < matrix.in; ++i) to[i * kFloatPanel] = from[i * kFloatPanel];
  }
}

}  // namespace eatt::kernels
#endif
