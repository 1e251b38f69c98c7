// Products of bytes by AMX: registers of 16 rows of 64 bytes, and an instruction that multiplies
// two of them. The panels of packed weights are made of such tiles.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/int8_part-inl.h"

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

// What ldtilecfg reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// The registers: 0 … 3 are sums, 4 and 5 inputs, 6 and 7 weights. In assembly, as the target has no
// AMX by name.
#define EATT_TILE_ZERO(tile) asm volatile("tilezero %%tmm" #tile ::)
#define EATT_TILE_LOAD(tile, from, stride) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(from), "r"(stride) : "memory")
#define EATT_TILE_STORE(tile, to, stride) \
  asm volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(to), "r"(stride) : "memory")
// sums += inputs (u8) · weights (s8)
#define EATT_TILE_MULTIPLY(sums, inputs, weights) \
  asm volatile("tdpbusd %%tmm" #weights ", %%tmm" #inputs ", %%tmm" #sums ::)

// Tiles for the life of it, with `rows` rows of inputs and sums.
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

// Asks for lines that will be wanted soon, for the first or only for the second cache.
template <int locality>
HWY_INLINE void fetch_lines(const int8_t* from, size_t bytes) {
  for (size_t byte = 0; byte < bytes; byte += kCacheLine) {
    __builtin_prefetch(from + byte, /*rw=*/0, locality);
  }
}
inline constexpr int kFirstCache = 3, kSecondCache = 2;

// Two tiles of rows by half a panel, to sums [2 · rows of a tile, 32]. Meanwhile the same half of
// the panel `ahead` bytes further is fetched, unless that is 0.
HWY_INLINE void multiply_pair(const TileSteps& steps, size_t half, size_t ahead, const uint8_t* x0,
                              const uint8_t* x1, size_t x_stride, size_t rows, int32_t* sums) {
  constexpr size_t kHalf = 2 * kTileColumns;
  EATT_TILE_ZERO(0);
  EATT_TILE_ZERO(1);
  EATT_TILE_ZERO(2);
  EATT_TILE_ZERO(3);
  for (size_t step = 0; step < steps.count(); ++step) {
    const int8_t* weights = steps[step] + half * kHalf * kInt8GroupSize;
    if (ahead != 0) {
      constexpr size_t kHalfBytes = kTileGroups * kGroupBytes / 2;
      fetch_lines<kSecondCache>(steps[step] + half * kHalfBytes + ahead, kHalfBytes);
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
    fetch_lines<kFirstCache>(weights + 2 * kTileGroups * kGroupBytes, kTileGroups * kGroupBytes);
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
    const auto number = [&](size_t r) HWY_ATTR {
      const IntVec sum = hn::Add(hn::LoadU(di, from + r * columns), offset);
      return scaled(sum, hn::Set(d, row_scales[r]), scale, bias, y.activation);
    };
    float* to = y.data + start;
    if (lanes == kLanes) {
      for (size_t r = 0; r < rows; ++r) hn::StoreU(number(r), d, to + r * y.stride);
    } else {
      for (size_t r = 0; r < rows; ++r) store_first(number(r), d, to + r * y.stride, lanes);
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
    const size_t ahead = tile == 0 ? part.groups * kGroupBytes : 0;  // The next panel, once.
    for (size_t half = 0; half * kHalf < part.count; ++half) {
      multiply_pair(steps, half, ahead, x.values + row0 * x.stride, x.values + row1 * x.stride,
                    x.stride, tile_rows, sums);
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

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
