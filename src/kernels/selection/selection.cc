#include "kernels/selection/selection.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/selection.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/selection/gather_add-inl.h"
#include "kernels/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void pack_selection_panels(const float* weight, size_t in, size_t out, float* panels) {
  for (size_t first = 0; first < out; first += kPanel, panels += in * kPanel) {
    const size_t columns = HWY_MIN(kPanel, out - first);
    if (columns < kPanel) std::memset(panels, 0, in * kPanel * sizeof(float));
    transpose(weight + first * in, in, columns, in, panels, kPanel);
  }
}

void pack_selection_rows(const float* weight, size_t in, size_t out, float* weight_rows) {
  transpose(weight, in, out, in, weight_rows, out);
}

// Rows of the result computed at a time: they fit into the L2 cache beside a matrix.
inline constexpr size_t kRowTile = 256;

// Rows [begin, end) of the result.
template <Joining joining>
HWY_INLINE void select_tile(const CodeLists& codes, size_t begin, size_t end, const float* panels,
                            size_t out, const float* bias, float* result, size_t result_stride) {
  constexpr bool kSubtract = joining == Joining::subtract;
  const size_t blocks = code_blocks(codes.dim);
  const size_t rows = end - begin;
  HWY_ALIGN float first[kPanel] = {};
  for (size_t column = 0; column < out; column += kPanel) {
    const size_t columns = HWY_MIN(kPanel, out - column);
    if (bias != nullptr) std::memcpy(first, bias + column, columns * sizeof(float));
    float* to = result + begin * result_stride + column;
    for (size_t block = 0; block < blocks; ++block) {
      const size_t height = HWY_MIN(kCodeBlock, codes.dim - block * kCodeBlock);
      const float* here = panels;
      panels += height * kPanel;
      const uint8_t* lists = codes.list(block, begin);
      const uint8_t* counts = codes.counts + block * codes.rows + begin;
      const float* start = joining == Joining::start && block == 0 ? first : nullptr;
      if (columns < kPanel) {
        gather_add_narrow<kSubtract>(here, lists, counts, rows, columns, start, to, result_stride);
        continue;
      }
      const bool last = column + kPanel >= out && block + 1 == blocks;
      const NextBlock next{panels, kPanel, last ? 0 : HWY_MIN(kCodeBlock, codes.dim)};
      gather_add_panel<kSubtract>(here, lists, counts, rows, start, next, to, result_stride);
    }
  }
}

template <Joining joining>
HWY_INLINE void select_from_panels_as(const CodeLists& codes, const float* panels, size_t out,
                                      const float* bias, float* result, size_t result_stride) {
  if (codes.dim == 0) {
    if (joining != Joining::start) return;
    for (size_t row = 0; row < codes.rows; ++row) {
      for (size_t o = 0; o < out; ++o) result[row * result_stride + o] = bias ? bias[o] : 0.0f;
    }
    return;
  }
  for (size_t row = 0; row < codes.rows; row += kRowTile) {
    select_tile<joining>(codes, row, HWY_MIN(row + kRowTile, codes.rows), panels, out, bias, result,
                         result_stride);
  }
}

void select_from_panels(const CodeLists& codes, const float* panels, size_t out, const float* bias,
                        float* result, size_t result_stride, Joining joining) {
  const auto run = joining == Joining::start ? select_from_panels_as<Joining::start>
                   : joining == Joining::add ? select_from_panels_as<Joining::add>
                                             : select_from_panels_as<Joining::subtract>;
  run(codes, panels, out, bias, result, result_stride);
}

// Vectors summed at once when rows come from memory. Measured with rows in the L3 cache: longer
// stretches are slower, and software prefetching gains nothing over the hardware.
inline constexpr size_t kStretch = 8;

// to [vectors · kLanes] = start (zero if null) ± the sum of the selected stretches.
template <size_t vectors, bool subtract>
HWY_INLINE void gather_stretch(const float* rows, size_t stride, const CodeLists& codes, size_t row,
                               const float* start, float* to) {
  const FloatTag d;
  FloatVec sums[vectors];
#pragma GCC unroll 16
  for (size_t v = 0; v < vectors; ++v) {
    sums[v] = start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + v * kLanes);
  }
  for (size_t block = 0; block < code_blocks(codes.dim); ++block) {
    const float* base = rows + block * kCodeBlock * stride;
    const uint8_t* list = codes.list(block, row);
    const size_t count = codes.count(block, row);
    for (size_t i = 0; i < count; ++i) {
      const float* selected = base + list[i] * stride;
#pragma GCC unroll 16
      for (size_t v = 0; v < vectors; ++v) {
        sums[v] = joined<subtract>(sums[v], hn::LoadU(d, selected + v * kLanes));
      }
    }
  }
#pragma GCC unroll 16
  for (size_t v = 0; v < vectors; ++v) hn::StoreU(sums[v], d, to + v * kLanes);
}

// The last columns, less than a vector.
template <bool subtract>
HWY_INLINE void gather_last(const float* rows, size_t stride, const CodeLists& codes, size_t row,
                            size_t columns, const float* start, float* to) {
  const FloatTag d;
  FloatVec sum = start == nullptr ? hn::Zero(d) : load_first(d, start, columns);
  for (size_t block = 0; block < code_blocks(codes.dim); ++block) {
    const float* base = rows + block * kCodeBlock * stride;
    const uint8_t* list = codes.list(block, row);
    for (size_t i = 0; i < codes.count(block, row); ++i) {
      sum = joined<subtract>(sum, load_first(d, base + list[i] * stride, columns));
    }
  }
  store_first(sum, d, to, columns);
}

template <Joining joining>
HWY_INLINE void select_from_rows_as(const CodeLists& codes, const float* weight_rows, size_t out,
                                    const float* bias, float* result, size_t result_stride) {
  constexpr bool kSubtract = joining == Joining::subtract;
  for (size_t row = 0; row < codes.rows; ++row, result += result_stride) {
    const float* first = joining == Joining::start ? bias : result;
    size_t column = 0;
    const auto start = [&] { return first == nullptr ? nullptr : first + column; };
    for (; column + kStretch * kLanes <= out; column += kStretch * kLanes) {
      gather_stretch<kStretch, kSubtract>(weight_rows + column, out, codes, row, start(),
                                          result + column);
    }
    for (; column + kLanes <= out; column += kLanes) {
      gather_stretch<1, kSubtract>(weight_rows + column, out, codes, row, start(), result + column);
    }
    if (column < out) {
      gather_last<kSubtract>(weight_rows + column, out, codes, row, out - column, start(),
                             result + column);
    }
  }
}

void select_from_rows(const CodeLists& codes, const float* weight_rows, size_t out,
                      const float* bias, float* result, size_t result_stride, Joining joining) {
  const auto run = joining == Joining::start ? select_from_rows_as<Joining::start>
                   : joining == Joining::add ? select_from_rows_as<Joining::add>
                                             : select_from_rows_as<Joining::subtract>;
  run(codes, weight_rows, out, bias, result, result_stride);
}

// block [128, 64] = `rows` ≤ 128 rows and `columns` ≤ 64 columns of a matrix, zeros after them.
HWY_INLINE void copy_block(const float* from, size_t stride, size_t rows, size_t columns,
                           float* block) {
  if (columns < kPanel) std::memset(block, 0, rows * kPanel * sizeof(float));
  for (size_t row = 0; row < rows; ++row) {
    std::memcpy(block + row * kPanel, from + row * stride, columns * sizeof(float));
  }
}

void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, float* d_weight, float* scratch) {
  const size_t in = transposed.rows;
  const size_t rows = transposed.dim;
  float* block = scratch;                        // [128, 64] of d_result
  float* panel = scratch + kCodeBlock * kPanel;  // [in, 64]: the gradient, transposed
  if (rows == 0) {
    std::memset(d_weight, 0, in * out * sizeof(float));
    return;
  }
  HWY_ALIGN const float zeros[kPanel] = {};
  for (size_t column = 0; column < out; column += kPanel) {
    const size_t columns = HWY_MIN(kPanel, out - column);
    for (size_t row = 0; row < rows; row += kCodeBlock) {
      const float* here = d_result + row * d_stride + column;
      copy_block(here, d_stride, HWY_MIN(kCodeBlock, rows - row), columns, block);
      const size_t below = HWY_MIN(kCodeBlock, rows - HWY_MIN(rows, row + kCodeBlock));
      const NextBlock next{here + kCodeBlock * d_stride, d_stride, below};
      gather_add_panel<false>(block, transposed.list(row / kCodeBlock, 0),
                              transposed.counts + row / kCodeBlock * in, in,
                              row == 0 ? zeros : nullptr, next, panel, kPanel);
    }
    transpose(panel, kPanel, in, columns, d_weight + column * in, in);
  }
}

void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns, float* sums) {
  const FloatTag d;
  for_each_vector(columns, [&](size_t i, size_t lanes) HWY_ATTR {
    FloatVec even = hn::Zero(d), odd = hn::Zero(d);
    size_t row = 0;
    for (; row + 2 <= rows; row += 2) {
      even = hn::Add(even, load_some(d, matrix + row * stride + i, lanes));
      odd = hn::Add(odd, load_some(d, matrix + (row + 1) * stride + i, lanes));
    }
    if (row < rows) even = hn::Add(even, load_some(d, matrix + row * stride + i, lanes));
    store_some(hn::Add(even, odd), d, sums + i, lanes);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(pack_selection_panels);
HWY_EXPORT(pack_selection_rows);
HWY_EXPORT(select_from_panels);
HWY_EXPORT(select_from_rows);

bool selection_is_sparse_enough(double density, size_t rows) noexcept {
  // Measured at 512 features: one row breaks even above 0.8, up to four near 0.5, more near 0.65.
  if (rows > 1 && rows <= kFewSelectionRows) return density < 0.45;
  return density < 0.55;
}

size_t selection_panels_size(size_t in, size_t out) noexcept { return in * ((out + 63) / 64 * 64); }

void pack_selection_panels(const float* weight, size_t in, size_t out, float* panels) noexcept {
  EATT_DISPATCH(pack_selection_panels)(weight, in, out, panels);
}

void pack_selection_rows(const float* weight, size_t in, size_t out, float* weight_rows) noexcept {
  EATT_DISPATCH(pack_selection_rows)(weight, in, out, weight_rows);
}

void select_from_panels(const CodeLists& codes, const float* panels, size_t out, const float* bias,
                        float* result, size_t result_stride, Joining joining) noexcept {
  EATT_DISPATCH(select_from_panels)(codes, panels, out, bias, result, result_stride, joining);
}

void select_from_rows(const CodeLists& codes, const float* weight_rows, size_t out,
                      const float* bias, float* result, size_t result_stride,
                      Joining joining) noexcept {
  EATT_DISPATCH(select_from_rows)(codes, weight_rows, out, bias, result, result_stride, joining);
}

HWY_EXPORT(selection_weight_gradient);
HWY_EXPORT(column_sums);

size_t selection_weight_gradient_scratch(size_t in) noexcept { return (kCodeBlock + in) * 64; }

void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, float* d_weight, float* scratch) noexcept {
  EATT_DISPATCH(selection_weight_gradient)
  (transposed, d_result, d_stride, out, d_weight, scratch);
}

void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns,
                 float* sums) noexcept {
  EATT_DISPATCH(column_sums)(matrix, stride, rows, columns, sums);
}

}  // namespace eatt::kernels
#endif
