#include "kernels/products/dense_product.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/products/dense_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/products/product_rows-inl.h"
#include "kernels/simd/transpose-inl.h"

// Shared by all instruction sets.
#ifndef EATT_KERNELS_DENSE_PRODUCT_LAYOUT_
#define EATT_KERNELS_DENSE_PRODUCT_LAYOUT_
namespace eatt::kernels {

// A packed factor: [blocks of depth][⌈columns/32⌉ panels][depth of the block][32 columns], the last
// panel padded with zeros.
inline constexpr size_t kDensePanel = 32;

inline size_t panels_of(size_t columns) { return (columns + kDensePanel - 1) / kDensePanel; }

// Blocks of depth, as equal as possible. A block of a panel, and of the rows that are multiplied
// with it, fits into the first cache or nearly so.
inline constexpr size_t kMostDepth = 512;
struct DepthBlocks {
  explicit DepthBlocks(size_t size) : depth(size), count((size + kMostDepth - 1) / kMostDepth) {}
  size_t begin(size_t block) const { return depth * block / count; }
  size_t depth, count;
};

}  // namespace eatt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// One panel of one block: [depth, columns ≤ 32] of b.
HWY_INLINE void pack_panel(const Factor& b, size_t first_depth, size_t depth, size_t first_column,
                           size_t columns, float* panel) {
  if (columns < kDensePanel) std::memset(panel, 0, depth * kDensePanel * sizeof(float));
  if (b.transposed) {
    transpose(b.data + first_column * b.stride + first_depth, b.stride, columns, depth, panel,
              kDensePanel);
    return;
  }
  const FloatTag d;
  const float* from = b.data + first_depth * b.stride + first_column;
  for (size_t i = 0; i < depth; ++i, from += b.stride, panel += kDensePanel) {
    for_each_vector(columns, [&](size_t c, size_t lanes) HWY_ATTR {
      store_some(load_some(d, from + c, lanes), d, panel + c, lanes);
    });
  }
}

void pack_factor(const Factor& b, size_t depth, size_t columns, float* packed) {
  const DepthBlocks blocks(depth);
  for (size_t block = 0; block < blocks.count; ++block) {
    const size_t first = blocks.begin(block), size = blocks.begin(block + 1) - first;
    for (size_t c = 0; c < columns; c += kDensePanel, packed += size * kDensePanel) {
      pack_panel(b, first, size, c, HWY_MIN(kDensePanel, columns - c), packed);
    }
  }
}

// The sums of a tile stay in registers: rows × 2 vectors, which are a panel for the widest vectors.
inline constexpr size_t kDenseVectors = 2;
inline constexpr size_t kDensePart = kDenseVectors * kLanes;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kDenseTileRows = 12;
#else
inline constexpr size_t kDenseTileRows = 6;
#endif

// How far ahead a panel is prefetched.
inline constexpr size_t kDenseAhead = 1024;

// Where a tile starts: at its bias, at what is there already, or at zero.
struct TileStart {
  const float* bias;  // Of the tile's first column; null: none.
  bool accumulate;
};

// out [rows, columns ≤ kDensePart] = start + a [rows, depth] · part of a panel
template <size_t rows, bool transposed>
HWY_NOINLINE void dense_tile(const float* a, size_t a_stride, const float* panel, size_t depth,
                             const TileStart& start, float* out, size_t out_stride,
                             size_t columns) {
  const FloatTag d;
  FloatVec sums[rows][kDenseVectors];
#pragma GCC unroll 12
  for (size_t r = 0; r < rows; ++r) {
    __builtin_prefetch(out + r * out_stride, /*rw=*/1);
    __builtin_prefetch(out + r * out_stride + HWY_MIN(kLanes, columns), /*rw=*/1);
#pragma GCC unroll 2
    for (size_t v = 0; v < kDenseVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (size_t i = 0; i < depth; ++i) {
    FloatVec b[kDenseVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kDenseVectors; ++v) {
      const float* from = panel + i * kDensePanel + v * kLanes;
      if (v * kLanes % 16 == 0) __builtin_prefetch(from + kDenseAhead);
      b[v] = hn::LoadU(d, from);
    }
#pragma GCC unroll 12
    for (size_t r = 0; r < rows; ++r) {
      const FloatVec factor = hn::Set(d, transposed ? a[i * a_stride + r] : a[r * a_stride + i]);
#pragma GCC unroll 2
      for (size_t v = 0; v < kDenseVectors; ++v) sums[r][v] = hn::MulAdd(factor, b[v], sums[r][v]);
    }
  }
#pragma GCC unroll 2
  for (size_t v = 0; v < kDenseVectors; ++v) {
    if (v * kLanes >= columns) return;
    const size_t lanes = HWY_MIN(kLanes, columns - v * kLanes);
    float* to = out + v * kLanes;
    if (start.bias != nullptr) {
      const FloatVec bias = load_some(d, start.bias + v * kLanes, lanes);
#pragma GCC unroll 12
      for (size_t r = 0; r < rows; ++r) sums[r][v] = hn::Add(sums[r][v], bias);
    }
    if (start.accumulate) {
#pragma GCC unroll 12
      for (size_t r = 0; r < rows; ++r) {
        sums[r][v] = hn::Add(sums[r][v], load_some(d, to + r * out_stride, lanes));
      }
    }
#pragma GCC unroll 12
    for (size_t r = 0; r < rows; ++r) store_some(sums[r][v], d, to + r * out_stride, lanes);
  }
}

// One block of depth of a product.
struct BlockProduct {
  const DenseProduct& product;
  const float* panels;
  size_t depth;
  bool is_first;
};

// Rows of a tile times columns [begin, end).
template <size_t rows, bool transposed>
HWY_INLINE void dense_rows(const BlockProduct& block, const float* a, size_t a_stride, size_t begin,
                           size_t end, float* out, size_t out_stride) {
  const float* bias = block.is_first ? block.product.bias : nullptr;
  for (size_t c = begin; c < end; c += kDensePart) {
    const float* panel =
        block.panels + c / kDensePanel * block.depth * kDensePanel + c % kDensePanel;
    const TileStart start = {bias != nullptr ? bias + c : nullptr,
                             block.product.accumulate || !block.is_first};
    dense_tile<rows, transposed>(a, a_stride, panel, block.depth, start, out + c, out_stride,
                                 HWY_MIN(kDensePart, end - c));
  }
}

// All rows are multiplied by columns that stay in the second cache.
inline constexpr size_t kDenseBlockBytes = 256 << 10;

void block_product(const BlockProduct& block, const float* a, size_t a_stride, size_t rows,
                   float* out, size_t out_stride) {
  const size_t columns = block.product.columns;
  const size_t panel_bytes = block.depth * kDensePanel * sizeof(float);
  const size_t step = HWY_MAX(kDenseBlockBytes / panel_bytes, 1) * kDensePanel;
  for (size_t begin = 0; begin < columns; begin += step) {
    const size_t end = HWY_MIN(begin + step, columns);
    for_each_row_tile(rows, kDenseTileRows, [&](size_t row, size_t count) HWY_ATTR {
      with_row_count<kDenseTileRows>(count, [&](auto tile_rows) HWY_ATTR {
        dense_rows<tile_rows, false>(block, a + row * a_stride, a_stride, begin, end,
                                     out + row * out_stride, out_stride);
      });
    });
  }
}

// Where `a` is transposed, the numbers of a tile stand in as many places as the block is deep,
// often a power of two apart, which all share one set of the cache: so they are gathered first,
// whole lines at a time. Each panel is used by all tiles of a group.
inline constexpr size_t kGroupRows = 48;

void transposed_block_product(const BlockProduct& block, const float* a, size_t a_stride,
                              size_t rows, float* out, size_t out_stride) {
  HWY_ALIGN float gathered[kMostDepth * kGroupRows];
  const FloatTag d;
  const size_t columns = block.product.columns;
  for_each_row_tile(rows, kGroupRows, [&](size_t group, size_t group_rows) HWY_ATTR {
    for (size_t i = 0; i < block.depth; ++i) {
      const float* from = a + i * a_stride + group;
      float* to = gathered + i * kGroupRows;
      for_each_vector(group_rows, [&](size_t r, size_t lanes) HWY_ATTR {
        store_some(load_some(d, from + r, lanes), d, to + r, lanes);
      });
    }
    for (size_t begin = 0; begin < columns; begin += kDensePanel) {
      const size_t end = HWY_MIN(begin + kDensePanel, columns);
      for_each_row_tile(group_rows, kDenseTileRows, [&](size_t row, size_t count) HWY_ATTR {
        with_row_count<kDenseTileRows>(count, [&](auto tile_rows) HWY_ATTR {
          dense_rows<tile_rows, true>(block, gathered + row, kGroupRows, begin, end,
                                      out + (group + row) * out_stride, out_stride);
        });
      });
    }
  });
}

void dense_product(const DenseProduct& product, const Factor& a, size_t rows, float* out,
                   size_t out_stride) {
  const DepthBlocks blocks(product.depth);
  const float* panels = product.packed;
  for (size_t i = 0; i < blocks.count; ++i) {
    const size_t first = blocks.begin(i), depth = blocks.begin(i + 1) - first;
    const BlockProduct block = {product, panels, depth, /*is_first=*/i == 0};
    if (a.transposed) {
      transposed_block_product(block, a.data + first * a.stride, a.stride, rows, out, out_stride);
    } else {
      block_product(block, a.data + first, a.stride, rows, out, out_stride);
    }
    panels += depth * panels_of(product.columns) * kDensePanel;
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pack_factor);
HWY_EXPORT(dense_product);

size_t packed_factor_size(size_t depth, size_t columns) noexcept {
  return depth * panels_of(columns) * kDensePanel;
}

void pack_factor(const Factor& b, size_t depth, size_t columns, float* packed) noexcept {
  EATT_DISPATCH(pack_factor)(b, depth, columns, packed);
}

void dense_product(const DenseProduct& product, const Factor& a, size_t rows, float* out,
                   size_t out_stride) noexcept {
  if (product.depth == 0) {  // The sum of nothing.
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < product.columns; ++c) {
        float& y = out[r * out_stride + c];
        y = (product.accumulate ? y : 0) + (product.bias == nullptr ? 0 : product.bias[c]);
      }
    }
    return;
  }
  EATT_DISPATCH(dense_product)(product, a, rows, out, out_stride);
}

}  // namespace eatt::kernels
#endif
