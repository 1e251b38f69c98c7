#include "kernels/int8_product.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/int8_dot-inl.h"
#include "kernels/int8_tiles-inl.h"
#include "kernels/product_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

inline constexpr size_t kGroupBytes = kInt8PanelColumns * kInt8GroupSize;

// How far ahead weights are fetched: what memory needs to answer.
inline constexpr size_t kAheadBytes = 4096;

// Rows and vectors of columns whose sums stay in registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kInt8TileRows = 6;
constexpr size_t vectors_beside(size_t) { return 4; }
#else
inline constexpr size_t kInt8TileRows = 4;
constexpr size_t vectors_beside(size_t rows) { return rows == 1 ? 4 : 2; }
#endif

// Some columns of a panel, with what makes their sums numbers of y.
struct Int8Part {
  const int8_t* panel;  // Of the first column.
  size_t groups;
  const int32_t* sums;  // [columns of a tile]
  const float* scales;  // [count]
  const float* bias;    // [count] or null
  size_t count;         // Columns from the first on that exist.
};

HWY_INLINE FloatVec scaled(IntVec sum, FloatVec row_scale, FloatVec scale, FloatVec bias,
                           Activation activation) {
  const FloatVec product = hn::Mul(hn::ConvertTo(FloatTag(), sum), row_scale);
  // A sum of products, never a fused one: the same bits on every instruction set.
  return activated(hn::Add(hn::Mul(product, scale), bias), activation);
}

// sums(r, v) → y, `rows` rows of up to `vectors` vectors.
template <size_t rows, size_t vectors, class Sums>
HWY_INLINE void store_scaled(const Sums& sums, const Int8Part& part, const float* row_scales,
                             const ProductResult& y) {
  const FloatTag d;
#pragma GCC unroll 4
  for (size_t v = 0; v < vectors; ++v) {
    const size_t start = v * kLanes;
    if (start >= part.count) return;
    const size_t lanes = HWY_MIN(kLanes, part.count - start);
    const FloatVec scale = load_some(d, part.scales + start, lanes);
    const FloatVec bias =
        part.bias == nullptr ? hn::Zero(d) : load_some(d, part.bias + start, lanes);
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; ++r) {
      const FloatVec row_scale = hn::Set(d, row_scales[r]);
      store_some(scaled(sums(r, v), row_scale, scale, bias, y.activation), d,
                 y.data + r * y.stride + start, lanes);
    }
  }
}

HWY_INLINE int32_t load_four(const uint8_t* from) {
  int32_t four;
  std::memcpy(&four, from, sizeof(four));
  return four;
}

// sums += a group of each row by that group of each column.
template <bool vnni, size_t rows, size_t vectors>
HWY_INLINE void add_group(const uint8_t* x, size_t x_stride, const int8_t* weights,
                          IntVec (&sums)[rows][vectors]) {
  const IntTag d;
  IntVec w[vectors];
#pragma GCC unroll 4
  for (size_t v = 0; v < vectors; ++v) {
    const size_t byte = v * kLanes * kInt8GroupSize;
    if (byte % kCacheLine == 0) __builtin_prefetch(weights + byte + kAheadBytes);
    w[v] = hn::LoadU(d, reinterpret_cast<const int32_t*>(weights) + v * kLanes);
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
    const FourInputs<vnni> inputs(load_four(x + r * x_stride));
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; ++v) add_products(sums[r][v], inputs, w[v]);
  }
}

template <bool vnni, size_t rows>
HWY_NOINLINE void int8_tile(const Int8Part& part, const uint8_t* x, size_t x_stride,
                            const float* row_scales, const ProductResult& y) {
  constexpr size_t kVectors = vectors_beside(rows);
  const IntTag d;
  IntVec sums[rows][kVectors], odd[rows][kVectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = start_of<vnni>(hn::LoadU(d, part.sums + v * kLanes));
      odd[r][v] = hn::Zero(d);
    }
  }
  const int8_t* weights = part.panel;
  size_t group = 0;
  // Few sums would wait for themselves: twice as many, added up in the end.
  constexpr bool kTwice = rows * kVectors <= 8 && kLanes > 8;
  for (; kTwice && group + 2 <= part.groups; group += 2, x += 2 * kInt8GroupSize) {
    add_group<vnni>(x, x_stride, weights, sums);
    add_group<vnni>(x + kInt8GroupSize, x_stride, weights + kGroupBytes, odd);
    weights += 2 * kGroupBytes;
  }
  for (; group < part.groups; ++group, x += kInt8GroupSize, weights += kGroupBytes) {
    add_group<vnni>(x, x_stride, weights, sums);
  }
  const auto sum = [&](size_t r, size_t v)
                       HWY_ATTR { return kTwice ? hn::Add(sums[r][v], odd[r][v]) : sums[r][v]; };
  store_scaled<rows, kVectors>(sum, part, row_scales, y);
}

// Columns of a panel from the first on, of which `part` has the first.
template <bool vnni, size_t rows>
HWY_INLINE void int8_rows(Int8Part part, const uint8_t* x, size_t x_stride, const float* row_scales,
                          ProductResult y) {
  constexpr size_t kColumns = vectors_beside(rows) * kLanes;
  for (;;) {
    int8_tile<vnni, rows>(part, x, x_stride, row_scales, y);
    if (part.count <= kColumns) return;
    part.panel += kColumns * kInt8GroupSize;
    part.sums += kColumns;
    part.scales += kColumns;
    if (part.bias != nullptr) part.bias += kColumns;
    part.count -= kColumns;
    y.data += kColumns;
  }
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

template <bool vnni>
HWY_INLINE void product_by_vectors(const Int8Matrix& matrix, const QuantisedRows& x,
                                   const ProductResult& result) {
  for (size_t column = 0; column < matrix.out; column += kInt8PanelColumns) {
    const Int8Part part = part_of(matrix, column);
    for_each_row_tile(x.rows, kInt8TileRows, [&](size_t first, size_t count) HWY_ATTR {
      const ProductResult y = {result.data + first * result.stride + column, result.stride,
                               result.activation};
      const auto rows_of = [&](auto rows) HWY_ATTR {
        int8_rows<vnni, rows>(part, x.values + first * x.stride, x.stride, x.scales + first, y);
      };
      with_row_count<kInt8TileRows>(count, rows_of);
    });
  }
}

#if HWY_TARGET == HWY_AVX3

// A panel in steps of kTileGroups groups; the last step has a copy with zeros after the weights
// where there are fewer groups left.
class TileSteps {
 public:
  explicit HWY_INLINE TileSteps(const Int8Part& part)
      : weights_(part.panel), whole_(part.groups / kTileGroups) {
    const size_t left = part.groups % kTileGroups;
    if (left == 0) return;
    std::memcpy(last_, part.panel + whole_ * kStepBytes, left * kGroupBytes);
    std::memset(last_ + left * kGroupBytes, 0, (kTileGroups - left) * kGroupBytes);
    steps_ = whole_ + 1;
  }

  size_t count() const { return steps_; }
  const int8_t* operator[](size_t step) const {
    return step < whole_ ? weights_ + step * kStepBytes : last_;
  }

 private:
  static constexpr size_t kStepBytes = kTileGroups * kGroupBytes;
  const int8_t* weights_;
  size_t whole_;
  size_t steps_ = whole_;
  alignas(64) int8_t last_[kStepBytes];
};

// Fetches the weights of the next panel, while this one is multiplied.
HWY_INLINE void fetch_lines(const int8_t* from, size_t bytes) {
  for (size_t byte = 0; byte < bytes; byte += kCacheLine) {
    __builtin_prefetch(from + byte, /*rw=*/0, /*locality=*/2);
  }
}

// Two tiles of rows by half a panel, to sums [2 · rows of a tile, 32].
HWY_INLINE void multiply_pair(const TileSteps& steps, size_t half, const uint8_t* x0,
                              const uint8_t* x1, size_t x_stride, size_t rows, int32_t* sums) {
  constexpr size_t kHalf = 2 * kTileColumns;
  EATT_TILE_ZERO(0);
  EATT_TILE_ZERO(1);
  EATT_TILE_ZERO(2);
  EATT_TILE_ZERO(3);
  for (size_t step = 0; step < steps.count(); ++step) {
    const int8_t* weights = steps[step] + half * kHalf * kInt8GroupSize;
    EATT_TILE_LOAD(6, weights, kGroupBytes);
    EATT_TILE_LOAD(4, x0 + step * kTileInputs, x_stride);
    EATT_TILE_MULTIPLY(0, 4, 6);
    EATT_TILE_LOAD(7, weights + kTileColumns * kInt8GroupSize, kGroupBytes);
    EATT_TILE_MULTIPLY(1, 4, 7);
    EATT_TILE_LOAD(5, x1 + step * kTileInputs, x_stride);
    EATT_TILE_MULTIPLY(2, 5, 6);
    EATT_TILE_MULTIPLY(3, 5, 7);
  }
  constexpr size_t kStride = kHalf * sizeof(int32_t);
  EATT_TILE_STORE(0, sums, kStride);
  EATT_TILE_STORE(1, sums + kTileColumns, kStride);
  EATT_TILE_STORE(2, sums + rows * kHalf, kStride);
  EATT_TILE_STORE(3, sums + rows * kHalf + kTileColumns, kStride);
}

// One tile of rows by a panel, to sums [rows of a tile, 64].
HWY_INLINE void multiply_single(const TileSteps& steps, const uint8_t* x, size_t x_stride,
                                int32_t* sums) {
  EATT_TILE_ZERO(0);
  EATT_TILE_ZERO(1);
  EATT_TILE_ZERO(2);
  EATT_TILE_ZERO(3);
  constexpr size_t kTileBytes = kTileColumns * kInt8GroupSize;
  for (size_t step = 0; step < steps.count(); ++step) {
    const int8_t* weights = steps[step];
    EATT_TILE_LOAD(4, x + step * kTileInputs, x_stride);
    EATT_TILE_LOAD(6, weights, kGroupBytes);
    EATT_TILE_MULTIPLY(0, 4, 6);
    EATT_TILE_LOAD(7, weights + kTileBytes, kGroupBytes);
    EATT_TILE_MULTIPLY(1, 4, 7);
    EATT_TILE_LOAD(6, weights + 2 * kTileBytes, kGroupBytes);
    EATT_TILE_MULTIPLY(2, 4, 6);
    EATT_TILE_LOAD(7, weights + 3 * kTileBytes, kGroupBytes);
    EATT_TILE_MULTIPLY(3, 4, 7);
  }
  constexpr size_t kStride = kInt8PanelColumns * sizeof(int32_t);
  EATT_TILE_STORE(0, sums, kStride);
  EATT_TILE_STORE(1, sums + kTileColumns, kStride);
  EATT_TILE_STORE(2, sums + 2 * kTileColumns, kStride);
  EATT_TILE_STORE(3, sums + 3 * kTileColumns, kStride);
}

// sums [rows, columns] → y, of the columns of `part` from `first` on.
template <size_t columns>
HWY_INLINE void store_tile_sums(const int32_t* sums, const Int8Part& part, size_t first,
                                const float* row_scales, size_t rows, const ProductResult& y) {
  const FloatTag d;
  const IntTag di;
  for (size_t start = first; start < HWY_MIN(first + columns, part.count); start += kLanes) {
    const size_t lanes = HWY_MIN(kLanes, part.count - start);
    const FloatVec scale = load_some(d, part.scales + start, lanes);
    const FloatVec bias =
        part.bias == nullptr ? hn::Zero(d) : load_some(d, part.bias + start, lanes);
    const IntVec offset = start_of<true>(hn::LoadU(di, part.sums + start));
    const int32_t* from = sums + start - first;
    for (size_t r = 0; r < rows; ++r, from += columns) {
      const IntVec sum = hn::Add(hn::LoadU(di, from), offset);
      store_some(scaled(sum, hn::Set(d, row_scales[r]), scale, bias, y.activation), d,
                 y.data + r * y.stride + start, lanes);
    }
  }
}

// Rows of a panel by tiles of `tile_rows` rows. The last tile ends with the last row, even if it
// computes some rows a second time.
HWY_INLINE void panel_by_tiles(const Int8Part& part, const QuantisedRows& x, size_t tile_rows,
                               const ProductResult& y) {
  constexpr size_t kHalf = 2 * kTileColumns;
  alignas(64) int32_t sums[2 * kMostTileRows * kHalf];
  const TileSteps steps(part);
  const auto store = [&](size_t row, const int32_t* from, auto columns, size_t first) HWY_ATTR {
    store_tile_sums<columns>(from, part, first, x.scales + row, tile_rows,
                             {y.data + row * y.stride, y.stride, y.activation});
  };
  const auto row_of = [&](size_t tile) { return HWY_MIN(tile * tile_rows, x.rows - tile_rows); };
  const size_t tiles = (x.rows + tile_rows - 1) / tile_rows;
  size_t tile = 0;
  for (; tile + 2 <= tiles; tile += 2) {
    const size_t row0 = row_of(tile), row1 = row_of(tile + 1);
    for (size_t half = 0; half * kHalf < part.count; ++half) {
      multiply_pair(steps, half, x.values + row0 * x.stride, x.values + row1 * x.stride, x.stride,
                    tile_rows, sums);
      const std::integral_constant<size_t, kHalf> columns;
      store(row0, sums, columns, half * kHalf);
      store(row1, sums + tile_rows * kHalf, columns, half * kHalf);
    }
  }
  if (tile < tiles) {
    multiply_single(steps, x.values + row_of(tile) * x.stride, x.stride, sums);
    store(row_of(tile), sums, std::integral_constant<size_t, kInt8PanelColumns>(), 0);
  }
}

void product_by_tiles(const Int8Matrix& matrix, const QuantisedRows& x,
                      const ProductResult& result) {
  const size_t tiles = (x.rows + kMostTileRows - 1) / kMostTileRows;
  const size_t tile_rows = (x.rows + tiles - 1) / tiles;
  const Tiles configured(tile_rows);
  for (size_t column = 0; column < matrix.out; column += kInt8PanelColumns) {
    const Int8Part part = part_of(matrix, column);
    panel_by_tiles(part, x, tile_rows, {result.data + column, result.stride, result.activation});
  }
}
#endif

// From so many rows on tiles are faster than vectors.
inline constexpr size_t kRowsForTiles = 4;

void int8_product(const Int8Matrix& matrix, const QuantisedRows& x, const ProductResult& result) {
#if HWY_TARGET == HWY_AVX3
  if (amx_enabled() && x.rows >= kRowsForTiles) return product_by_tiles(matrix, x, result);
  if (vnni_enabled()) return product_by_vectors<true>(matrix, x, result);
#endif
  product_by_vectors<false>(matrix, x, result);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(int8_product);

void int8_product(const Int8Matrix& matrix, const QuantisedRows& x, const ProductResult& result) {
  EATT_DISPATCH(int8_product)(matrix, x, result);
}

}  // namespace eatt::kernels
#endif
