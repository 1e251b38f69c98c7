// Products of bytes by AMX: registers of 16 rows of 64 bytes, and an instruction that multiplies
// two of them.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

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

#endif

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
