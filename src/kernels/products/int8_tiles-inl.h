// Products of int8 by AMX: tile registers of 16 rows of 64 bytes, and an instruction that
// multiplies two of them. The panels of packed weights consist of such tiles.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/products/int8_dot-inl.h"

#if defined(EATT_KERNELS_INT8_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INT8_TILES_INL_H_
#undef EATT_KERNELS_INT8_TILES_INL_H_
#else
#define EATT_KERNELS_INT8_TILES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

inline constexpr size_t kTileGroups = 16;                            // Rows of a tile of weights.
inline constexpr size_t kTileInputs = kTileGroups * kInt8GroupSize;  // Bytes of a row of a tile.
inline constexpr size_t kTileColumns = 16;
inline constexpr size_t kMostTileRows = 16;
inline constexpr size_t kSumsStride = kInt8PanelColumns * sizeof(int32_t);

// What ldtilecfg reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// The registers: 0 … 3 are sums, 4 and 5 inputs, 6 and 7 weights. In assembly
// because HWY_AVX3 does not include AMX.
#define EATT_TILE_ZERO(tile) asm volatile("tilezero %%tmm" #tile ::)
#define EATT_TILE_LOAD(tile, from, stride) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(from), "r"(stride) : "memory")
#define EATT_TILE_STORE(tile, to, stride) \
  asm volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(to), "r"(stride) : "memory")
// sums += inputs (u8) · weights (s8)
#define EATT_TILE_MULTIPLY(sums, inputs, weights) \
  asm volatile("tdpbusd %%tmm" #weights ", %%tmm" #inputs ", %%tmm" #sums ::)

// Configures the tile registers for its lifetime, with `rows` rows of inputs and sums.
class Tiles {
 public:
  explicit HWY_INLINE Tiles(size_t rows) {
    TileConfig config;
    for (size_t tile = 0; tile < 8; ++tile) {
      config.row_bytes[tile] = 64;
      config.rows[tile] = tile < 6 ? static_cast<uint8_t>(rows) : kTileGroups;
    }
    asm volatile("ldtilecfg %0" ::"m"(config));
  }
  HWY_INLINE ~Tiles() { asm volatile("tilerelease" ::); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

// A panel in steps of kTileGroups groups. If the last step has fewer groups, it is a copy padded
// with zeros.
class TileSteps {
 public:
  explicit HWY_INLINE TileSteps(const Int8Part& part)
      : weights_(part.panel), full_(part.groups / kTileGroups) {
    const size_t left = part.groups % kTileGroups;
    if (left == 0) return;
    std::memcpy(last_, part.panel + full_ * kStepBytes, left * kGroupBytes);
    std::memset(last_ + left * kGroupBytes, 0, (kTileGroups - left) * kGroupBytes);
    steps_ = full_ + 1;
  }

  size_t count() const { return steps_; }
  const int8_t* operator[](size_t step) const {
    return step < full_ ? weights_ + step * kStepBytes : last_;
  }

 private:
  static constexpr size_t kStepBytes = kTileGroups * kGroupBytes;
  const int8_t* weights_;
  size_t full_;
  size_t steps_ = full_;
  alignas(64) int8_t last_[kStepBytes];
};

// Prefetches cache lines into L1, or into L2 only.
template <int locality>
HWY_INLINE void prefetch_lines(const int8_t* from, size_t bytes) {
  for (size_t byte = 0; byte < bytes; byte += kCacheLine) {
    __builtin_prefetch(from + byte, /*rw=*/0, locality);
  }
}

// Two tiles of rows times half a panel, into the same half of sums [2 · kMostTileRows, 64].
// Prefetches that half of the panel `ahead` bytes further on, unless `ahead` is 0.
HWY_INLINE void multiply_pair(const TileSteps& steps, size_t half, size_t ahead, const uint8_t* x0,
                              const uint8_t* x1, size_t x_stride, int32_t* sums) {
  constexpr size_t kHalf = 2 * kTileColumns;
  EATT_TILE_ZERO(0);
  EATT_TILE_ZERO(1);
  EATT_TILE_ZERO(2);
  EATT_TILE_ZERO(3);
  for (size_t step = 0; step < steps.count(); ++step) {
    const int8_t* weights = steps[step] + half * kHalf * kInt8GroupSize;
    if (ahead != 0) {
      constexpr size_t kHalfBytes = kTileGroups * kGroupBytes / 2;
      prefetch_lines<kL2Cache>(steps[step] + half * kHalfBytes + ahead, kHalfBytes);
    }
    EATT_TILE_LOAD(6, weights, kGroupBytes);
    EATT_TILE_LOAD(4, x0 + step * kTileInputs, x_stride);
    EATT_TILE_MULTIPLY(0, 4, 6);
    EATT_TILE_LOAD(7, weights + kTileColumns * kInt8GroupSize, kGroupBytes);
    EATT_TILE_MULTIPLY(1, 4, 7);
    EATT_TILE_LOAD(5, x1 + step * kTileInputs, x_stride);
    EATT_TILE_MULTIPLY(2, 5, 6);
    EATT_TILE_MULTIPLY(3, 5, 7);
  }
  sums += half * kHalf;
  EATT_TILE_STORE(0, sums, kSumsStride);
  EATT_TILE_STORE(1, sums + kTileColumns, kSumsStride);
  sums += kMostTileRows * kInt8PanelColumns;
  EATT_TILE_STORE(2, sums, kSumsStride);
  EATT_TILE_STORE(3, sums + kTileColumns, kSumsStride);
}

// One tile of rows times a panel, into sums [kMostTileRows, 64].
HWY_INLINE void multiply_single(const TileSteps& steps, const uint8_t* x, size_t x_stride,
                                int32_t* sums) {
  EATT_TILE_ZERO(0);
  EATT_TILE_ZERO(1);
  EATT_TILE_ZERO(2);
  EATT_TILE_ZERO(3);
  constexpr size_t kTileBytes = kTileColumns * kInt8GroupSize;
  for (size_t step = 0; step < steps.count(); ++step) {
    const int8_t* weights = steps[step];
    prefetch_lines<kL1Cache>(weights + 2 * kTileGroups * kGroupBytes, kTileGroups * kGroupBytes);
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
  EATT_TILE_STORE(0, sums, kSumsStride);
  EATT_TILE_STORE(1, sums + kTileColumns, kSumsStride);
  EATT_TILE_STORE(2, sums + 2 * kTileColumns, kSumsStride);
  EATT_TILE_STORE(3, sums + 3 * kTileColumns, kSumsStride);
}

// sums [rows, 64] → y, row by row so that neighbouring cache lines are written together.
HWY_INLINE void store_tile_sums(const int32_t* sums, const Int8Part& part, const float* row_scales,
                                size_t rows, const ProductResult& y) {
  const FloatTag d;
  const IntTag di;
  FloatVec scale[4], bias[4];
  IntVec offset[4];
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; ++v) {
    const size_t start = HWY_MIN(v * kLanes, part.count);
    const size_t lanes = HWY_MIN(kLanes, part.count - start);
    scale[v] = load_some(d, part.scales + start, lanes);
    bias[v] = part.bias == nullptr ? hn::Zero(d) : load_some(d, part.bias + start, lanes);
    offset[v] = start_of<true>(hn::LoadU(di, part.sums + v * kLanes));
  }
  for (size_t r = 0; r < rows; ++r, sums += kInt8PanelColumns) {
    const FloatVec row_scale = hn::Set(d, row_scales[r]);
    float* to = y.data + r * y.stride;
#pragma GCC unroll 4
    for (size_t v = 0; v < 4; ++v) {
      const IntVec sum = hn::Add(hn::LoadU(di, sums + v * kLanes), offset[v]);
      const FloatVec number = scaled(sum, row_scale, scale[v], bias[v], y.activation);
      if (part.count >= (v + 1) * kLanes) {
        hn::StoreU(number, d, to + v * kLanes);
      } else if (part.count > v * kLanes) {
        store_first(number, d, to + v * kLanes, part.count - v * kLanes);
      }
    }
  }
}

// Rows in tiles of equal height. The last tile ends at the last row and may compute some rows
// twice.
struct RowTiles {
  explicit RowTiles(size_t all_rows)
      : all(all_rows),
        count((all_rows + kMostTileRows - 1) / kMostTileRows),
        rows((all_rows + count - 1) / count) {}
  size_t first_row(size_t tile) const { return HWY_MIN(tile * rows, all - rows); }
  size_t all, count, rows;
};

// One or two tiles of rows, starting at `tile`, times a panel.
HWY_INLINE void tiles_by_panel(const Int8Part& part, const QuantizedRows& x, const RowTiles& tiles,
                               size_t tile, const ProductResult& y) {
  alignas(64) int32_t sums[2 * kMostTileRows * kInt8PanelColumns];
  const TileSteps steps(part);
  const size_t count = HWY_MIN(size_t{2}, tiles.count - tile);
  const uint8_t* first = x.values + tiles.first_row(tile) * x.stride;
  if (count == 1) {
    multiply_single(steps, first, x.stride, sums);
  } else {
    const uint8_t* second = x.values + tiles.first_row(tile + 1) * x.stride;
    const size_t ahead = tile == 0 ? part.groups * kGroupBytes : 0;  // The next panel, once.
    multiply_pair(steps, 0, ahead, first, second, x.stride, sums);
    multiply_pair(steps, 1, ahead, first, second, x.stride, sums);
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t row = tiles.first_row(tile + i);
    store_tile_sums(sums + i * kMostTileRows * kInt8PanelColumns, part, x.scales + row, tiles.rows,
                    {y.data + row * y.stride, y.stride, y.activation});
  }
}

// Size of a block of panels that two tiles of rows are multiplied by: it stays in the L2 cache for
// the next rows, and long runs of y are written.
inline constexpr size_t kPanelsBytes = 256 << 10;

void product_by_tiles(const Int8Matrix& matrix, const QuantizedRows& x,
                      const ProductResult& result) {
  const RowTiles tiles(x.rows);
  const Tiles configured(tiles.rows);
  const size_t panel_bytes = HWY_MAX(int8_panels_size(matrix.in, 1), size_t{1});
  const size_t block = HWY_MAX(kPanelsBytes / panel_bytes, size_t{1}) * kInt8PanelColumns;
  for (size_t begin = 0; begin < matrix.out; begin += block) {
    const size_t end = HWY_MIN(begin + block, matrix.out);
    for (size_t tile = 0; tile < tiles.count; tile += 2) {
      for (size_t column = begin; column < end; column += kInt8PanelColumns) {
        tiles_by_panel(part_of(matrix, column), x, tiles, tile,
                       {result.data + column, result.stride, result.activation});
      }
    }
  }
}
#endif

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
