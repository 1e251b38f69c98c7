// Scores of a few query rows against all keys, accumulated in registers: the core of attention.
#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "kernels/attention/attention.h"

#if defined(EATT_KERNELS_SCORE_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_SCORE_TILES_INL_H_
#undef EATT_KERNELS_SCORE_TILES_INL_H_
#else
#define EATT_KERNELS_SCORE_TILES_INL_H_
#endif

#include "kernels/simd/transpose-inl.h"
#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Rows [count, dim], `stride` apart → panels [⌈count/kLanes⌉][dim][kLanes], so that a vector holds
// one feature of kLanes neighbouring rows. Missing rows of the last panel repeat the last one.
inline HWY_NOINLINE void pack_panels(const float* rows, size_t stride, size_t count, size_t dim,
                                     float* panels) {
  size_t first = 0;
  for (; first + kLanes <= count; first += kLanes, panels += dim * kLanes)
    transpose(rows + first * stride, stride, kLanes, dim, panels, kLanes);
  if (first == count) return;
  const float* row[kLanes];
  for (size_t r = 0; r < kLanes; ++r)
    row[r] = rows + (first + r < count ? first + r : count - 1) * stride;
  size_t f = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; f + 4 <= dim; f += 4) {
    transpose_strip([&](size_t r) HWY_ATTR { return row[r] + f; }, panels + f * kLanes, kLanes);
  }
#endif
  for (; f < dim; ++f) {
    for (size_t r = 0; r < kLanes; ++r) panels[f * kLanes + r] = row[r][f];
  }
}

// sums [panels·kLanes] = −½·Σk of each key. For distances an accumulator starts at −½·Σk − ½·Σq and
// ends at Σmax(q, k) − ½·Σk − ½·Σq = ½·‖q − k‖₁, so scores are −2 times that.
inline HWY_NOINLINE void half_sums(const float* panels, size_t panel_count, size_t dim,
                                   float* sums) {
  const FloatTag d;
  for (size_t p = 0; p < panel_count; ++p, panels += dim * kLanes) {
    auto even = hn::Zero(d), odd = hn::Zero(d);
    size_t f = 0;
    for (; f + 2 <= dim; f += 2) {
      even = hn::Add(even, hn::LoadU(d, panels + f * kLanes));
      odd = hn::Add(odd, hn::LoadU(d, panels + (f + 1) * kLanes));
    }
    if (f < dim) even = hn::Add(even, hn::LoadU(d, panels + f * kLanes));
    hn::StoreU(hn::Mul(hn::Add(even, odd), hn::Set(d, -0.5f)), d, sums + p * kLanes);
  }
}

// Σx
HWY_INLINE float sum_of(const float* x, size_t size) {
  const FloatTag d;
  auto sum = hn::Zero(d);
  for_each_vector(size, [&](size_t i, size_t n) { sum = hn::Add(sum, load_some(d, x + i, n)); });
  return sum_of_lanes(d, sum);
}

// Adds one feature of a query and of kLanes keys to their scores.
template <ScoreKind kKind>
HWY_INLINE FloatVec score_step(FloatVec sum, FloatVec query, FloatVec keys) {
  if constexpr (kKind == ScoreKind::dot) {
    return hn::MulAdd(query, keys, sum);
  } else {
    return hn::Add(sum, hn::Max(query, keys));
  }
}

// The queries of a tile: pointers to [dim] floats, and −½·Σq of each for distances.
template <size_t kRows>
struct QueryTile {
  const float* row[kRows];
  float start[kRows];
};

template <ScoreKind kKind, size_t kRows>
HWY_INLINE QueryTile<kRows> query_tile(const float* rows, size_t stride, size_t dim) {
  QueryTile<kRows> tile;
  for (size_t r = 0; r < kRows; ++r) {
    tile.row[r] = rows + r * stride;
    tile.start[r] = kKind == ScoreKind::l1 ? -0.5f * sum_of(tile.row[r], dim) : 0.0f;
  }
  return tile;
}

// What a tile multiplies its sums by, so that scores have this factor.
inline constexpr float sum_factor(ScoreKind kind, float factor) {
  return kind == ScoreKind::l1 ? -2.0f * factor : factor;
}

// kRows queries × kVectors·kLanes keys. `starts` comes from half_sums; unused for dot.
// out[r·out_stride + j] = factor · sum.
template <ScoreKind kKind, size_t kRows, size_t kVectors>
HWY_INLINE void score_tile(const QueryTile<kRows>& queries, const float* panels,
                           const float* starts, size_t dim, float factor, float* out,
                           size_t out_stride) {
  const FloatTag d;
  FloatVec sums[kRows][kVectors];
  const float* query[kRows];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
    query[r] = queries.row[r];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = kKind == ScoreKind::dot
                       ? hn::Zero(d)
                       : hn::Add(hn::LoadU(d, starts + v * kLanes), hn::Set(d, queries.start[r]));
    }
  }
  for (size_t f = 0; f < dim; ++f) {
    FloatVec keys[kVectors];
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) keys[v] = hn::LoadU(d, panels + (v * dim + f) * kLanes);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const auto element = hn::Set(d, query[r][f]);
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v)
        sums[r][v] = score_step<kKind>(sums[r][v], element, keys[v]);
    }
  }
  const auto scale = hn::Set(d, factor);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v)
      hn::StoreU(hn::Mul(sums[r][v], scale), d, out + r * out_stride + v * kLanes);
  }
}

// The same for all keys of panel_count panels; a row of `out` holds panel_count·kLanes scores.
template <ScoreKind kKind, size_t kRows>
HWY_NOINLINE void score_rows(const QueryTile<kRows>& queries, const float* panels,
                             const float* starts, size_t panel_count, size_t dim, float factor,
                             float* out, size_t out_stride) {
  size_t p = 0;
  for (; p + 2 <= panel_count; p += 2) {
    score_tile<kKind, kRows, 2>(queries, panels + p * dim * kLanes, starts + p * kLanes, dim,
                                factor, out + p * kLanes, out_stride);
  }
  if (p < panel_count) {
    score_tile<kKind, kRows, 1>(queries, panels + p * dim * kLanes, starts + p * kLanes, dim,
                                factor, out + p * kLanes, out_stride);
  }
}

// Calls step(first row, std::integral_constant<size_t, rows>) until all rows are done: blocks of
// kTileRows, then of 4, 2 and 1.
template <class Step>
HWY_INLINE void for_row_blocks(size_t count, const Step& step) {
  size_t i = 0;
  for (; i + kTileRows <= count; i += kTileRows)
    step(i, std::integral_constant<size_t, kTileRows>());
  if constexpr (kTileRows > 4) {
    if (i + 4 <= count) {
      step(i, std::integral_constant<size_t, 4>());
      i += 4;
    }
  }
  if (i + 2 <= count) {
    step(i, std::integral_constant<size_t, 2>());
    i += 2;
  }
  if (i < count) step(i, std::integral_constant<size_t, 1>());
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
