#include <cstring>

#include "kernels/attention/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/scores_int.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/integer_units-inl.h"
#include "kernels/simd/transpose-inl.h"

// Shared by all instruction sets.
#ifndef EATT_KERNELS_SCORES_INT_LAYOUT_
#define EATT_KERNELS_SCORES_INT_LAYOUT_
namespace eatt::kernels {

inline constexpr size_t kKeyPanel = 32;

template <class T>
constexpr size_t units_of(size_t dim) {
  return (dim * sizeof(T) + sizeof(int32_t) - 1) / sizeof(int32_t);
}

template <class T>
constexpr size_t panel_bytes(size_t dim) {
  return (units_of<T>(dim) + 1) * kKeyPanel * sizeof(int32_t);  // The units, then −Σ of each key.
}

}  // namespace eatt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// kLanes keys of 16 bytes, zeros after `count` of them and after `bytes` of each.
HWY_INLINE void copy_strip(const uint8_t* keys, size_t stride_bytes, size_t count, size_t bytes,
                           float* strip) {
  std::memset(strip, 0, kLanes * 16);
  for (size_t k = 0; k < HWY_MIN(count, kLanes); ++k) {
    std::memcpy(strip + 4 * k, keys + k * stride_bytes, bytes);
  }
}

#if HWY_TARGET != HWY_SCALAR
// to [units ≤ 4, kLanes keys], rows 32 apart, from `bytes` of each of `count` keys.
HWY_INLINE void pack_strip(const uint8_t* keys, size_t stride_bytes, size_t count, size_t bytes,
                           size_t units, float* to) {
  HWY_ALIGN float strip[kLanes * 4];
  if (units == 4 && bytes == 16 && count >= kLanes && stride_bytes % 4 == 0) {
    transpose_strip(reinterpret_cast<const float*>(keys), stride_bytes / 4, to, kKeyPanel);
    return;
  }
  copy_strip(keys, stride_bytes, count, bytes, strip);
  HWY_ALIGN float columns[4 * kLanes];
  transpose_strip(strip, 4, columns, kLanes);
  for (size_t u = 0; u < units; ++u) {
    std::memcpy(to + u * kKeyPanel, columns + u * kLanes, kLanes * sizeof(float));
  }
}
#else
HWY_INLINE void pack_strip(const uint8_t* keys, size_t stride_bytes, size_t count, size_t bytes,
                           size_t units, float* to) {
  float strip[4];
  copy_strip(keys, stride_bytes, count, bytes, strip);
  for (size_t u = 0; u < units; ++u) std::memcpy(to + u * kKeyPanel, strip + u, sizeof(float));
}
#endif

// −Σ of kLanes packed keys.
template <class T, bool vnni>
HWY_INLINE IntVec negative_sums(const int32_t* keys, size_t units) {
  const IntTag d;
  IntVec sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  size_t u = 0;
  for (; u + 4 <= units; u += 4) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      add_units<T, vnni, -1>(sums[i], hn::LoadU(d, keys + (u + i) * kKeyPanel));
    }
  }
  for (; u < units; ++u) add_units<T, vnni, -1>(sums[0], hn::LoadU(d, keys + u * kKeyPanel));
  return hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
}

template <class T, bool vnni>
HWY_INLINE void pack_int_keys(const IntRows<T>& keys, size_t dim, uint8_t* packed) {
  const IntTag d;
  const size_t units = units_of<T>(dim);
  const size_t stride_bytes = keys.stride * sizeof(T);
  for (size_t first = 0; first < keys.rows; first += kKeyPanel) {
    const auto* from = reinterpret_cast<const uint8_t*>(keys.data + first * keys.stride);
    for (size_t k = 0; k < kKeyPanel; k += kLanes) {
      const size_t count = HWY_MAX(keys.rows - first, k) - k;
      auto* to = reinterpret_cast<int32_t*>(packed) + k;
      for (size_t u = 0; u < units; u += 4) {
        pack_strip(from + HWY_MIN(k, keys.rows - first) * stride_bytes + 4 * u, stride_bytes, count,
                   HWY_MIN(size_t{16}, dim * sizeof(T) - 4 * u), HWY_MIN(size_t{4}, units - u),
                   reinterpret_cast<float*>(to + u * kKeyPanel));
      }
      hn::StoreU(negative_sums<T, vnni>(to, units), d, to + units * kKeyPanel);
    }
    packed += panel_bytes<T>(dim);
  }
}

// −Σ row.
template <class T, bool vnni>
HWY_NOINLINE int32_t negative_sum(const T* row, size_t dim) {
  uint32_t total = 0;  // Unsigned because it may overflow.
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr size_t kStep = kLanes * kPerUnit<T>;
  const IntTag d;
  const hn::Repartition<T, IntTag> dt;
  IntVec sum = hn::Zero(d);
  for (; i + kStep <= dim; i += kStep) {
    add_units<T, vnni, -1>(sum, hn::BitCast(d, hn::LoadU(dt, row + i)));
  }
  total = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
#endif
  for (; i < dim; ++i) total -= static_cast<uint32_t>(static_cast<int32_t>(row[i]));
  return static_cast<int32_t>(total);
}

// The queries of a tile, their negative sums, and the elements after the last full unit.
template <class T, size_t rows>
struct IntQueryTile {
  const T* row[rows];
  int32_t rest[rows];
  int32_t start[rows];
};

// sums += maxima of unit(r) of each query r and a unit of vectors · kLanes keys.
template <class T, bool vnni, size_t rows, size_t vectors, class Unit>
HWY_INLINE void add_maxima(const int32_t* keys, const Unit& unit, IntVec (&sums)[rows][vectors]) {
  const IntTag d;
  IntVec key[vectors];
#pragma GCC unroll 2
  for (size_t v = 0; v < vectors; ++v) key[v] = hn::LoadU(d, keys + v * kLanes);
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
    const IntVec query = hn::Set(d, unit(r));
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; ++v) {
      add_units<T, vnni, 2>(sums[r][v], max_of<T>(query, key[v]));
    }
  }
}

// Distances of the queries to vectors · kLanes keys of a panel, of which `count` exist.
template <class T, bool vnni, size_t rows, size_t vectors>
HWY_NOINLINE void distance_tile(const IntQueryTile<T, rows>& queries, const int32_t* panel,
                                size_t dim, size_t count, int32_t* distances, size_t stride) {
  const IntTag d;
  IntVec sums[rows][vectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; ++v) {
      const IntVec start = hn::LoadU(d, panel + units_of<T>(dim) * kKeyPanel + v * kLanes);
      sums[r][v] = hn::Add(start, hn::Set(d, queries.start[r]));
    }
  }
  const size_t full = dim / kPerUnit<T>;
  for (size_t u = 0; u < full; ++u, panel += kKeyPanel) {
    const auto unit = [&](size_t r) { return load_unit(queries.row[r] + u * kPerUnit<T>); };
    add_maxima<T, vnni>(panel, unit, sums);
  }
  if (dim % kPerUnit<T> != 0) {
    add_maxima<T, vnni>(
        panel, [&](size_t r) { return queries.rest[r]; }, sums);
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; ++v) {
      int32_t* to = distances + r * stride + v * kLanes;
      if (count >= (v + 1) * kLanes) {
        hn::StoreU(sums[r][v], d, to);
      } else {
        HWY_ALIGN int32_t all[kLanes];
        hn::Store(sums[r][v], d, all);
        for (size_t i = 0; i + v * kLanes < count; ++i) to[i] = all[i];
      }
    }
  }
}

// Distances of `rows` queries to all keys.
template <class T, bool vnni, size_t rows>
HWY_INLINE void distances_of_rows(const T* query, size_t query_stride, const uint8_t* packed_keys,
                                  size_t keys, size_t dim, int32_t* distances, size_t stride) {
  IntQueryTile<T, rows> tile;
  const size_t rest = dim % kPerUnit<T>;
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; ++r) {
    tile.row[r] = query + r * query_stride;
    tile.rest[r] = rest == 0 ? 0 : load_unit(tile.row[r] + dim - rest, rest);
    tile.start[r] = negative_sum<T, vnni>(tile.row[r], dim);
  }
  for (size_t first = 0; first < keys; first += kKeyPanel, packed_keys += panel_bytes<T>(dim)) {
    const size_t in_panel = HWY_MIN(kKeyPanel, keys - first);
    const auto* panel = reinterpret_cast<const int32_t*>(packed_keys);
    for (size_t k = 0; k < in_panel; k += 2 * kLanes) {
      const size_t count = in_panel - k;
      int32_t* to = distances + first + k;
      if (count > kLanes) {
        distance_tile<T, vnni, rows, 2>(tile, panel + k, dim, count, to, stride);
      } else {
        distance_tile<T, vnni, rows, 1>(tile, panel + k, dim, count, to, stride);
      }
    }
  }
}

template <class T, bool vnni>
HWY_INLINE void l1_distances(const IntRows<T>& queries, const uint8_t* packed_keys, size_t keys,
                             size_t dim, int32_t* distances, size_t stride) {
  size_t row = 0;
  for (; row + kTileRows <= queries.rows; row += kTileRows) {
    distances_of_rows<T, vnni, kTileRows>(queries.data + row * queries.stride, queries.stride,
                                          packed_keys, keys, dim, distances + row * stride, stride);
  }
  for (; row < queries.rows; ++row) {
    distances_of_rows<T, vnni, 1>(queries.data + row * queries.stride, queries.stride, packed_keys,
                                  keys, dim, distances + row * stride, stride);
  }
}

void pack_keys_int16(const IntRows<int16_t>& keys, size_t dim, uint8_t* packed) {
  with_vnni([&](auto vnni) HWY_ATTR { pack_int_keys<int16_t, vnni>(keys, dim, packed); });
}

void pack_keys_uint8(const IntRows<uint8_t>& keys, size_t dim, uint8_t* packed) {
  with_vnni([&](auto vnni) HWY_ATTR { pack_int_keys<uint8_t, vnni>(keys, dim, packed); });
}

void l1_distances_int16(const IntRows<int16_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) {
  with_vnni([&](auto vnni) HWY_ATTR {
    l1_distances<int16_t, vnni>(queries, packed_keys, keys, dim, distances, stride);
  });
}

void l1_distances_uint8(const IntRows<uint8_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) {
  with_vnni([&](auto vnni) HWY_ATTR {
    l1_distances<uint8_t, vnni>(queries, packed_keys, keys, dim, distances, stride);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pack_keys_int16);
HWY_EXPORT(pack_keys_uint8);
HWY_EXPORT(l1_distances_int16);
HWY_EXPORT(l1_distances_uint8);

size_t packed_keys_int16_size(size_t keys, size_t dim) noexcept {
  return (keys + kKeyPanel - 1) / kKeyPanel * panel_bytes<int16_t>(dim);
}

size_t packed_keys_uint8_size(size_t keys, size_t dim) noexcept {
  return (keys + kKeyPanel - 1) / kKeyPanel * panel_bytes<uint8_t>(dim);
}

void pack_keys_int16(const IntRows<int16_t>& keys, size_t dim, uint8_t* packed) noexcept {
  EATT_DISPATCH(pack_keys_int16)(keys, dim, packed);
}

void pack_keys_uint8(const IntRows<uint8_t>& keys, size_t dim, uint8_t* packed) noexcept {
  EATT_DISPATCH(pack_keys_uint8)(keys, dim, packed);
}

void l1_distances_int16(const IntRows<int16_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) noexcept {
  EATT_DISPATCH(l1_distances_int16)(queries, packed_keys, keys, dim, distances, stride);
}

void l1_distances_uint8(const IntRows<uint8_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) noexcept {
  EATT_DISPATCH(l1_distances_uint8)(queries, packed_keys, keys, dim, distances, stride);
}

}  // namespace eatt::kernels
#endif
