#include "kernels/selection/selection_gradient.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/selection_gradient.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/selection/gather_add-inl.h"
#include "kernels/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// block [128, 64] = `rows` ≤ 128 rows and `columns` ≤ 64 columns of a matrix, zeros after them.
HWY_INLINE void copy_block(const float* from, size_t stride, size_t rows, size_t columns,
                           float* block) {
  if (columns < kPanel) std::memset(block, 0, rows * kPanel * sizeof(float));
  for (size_t row = 0; row < rows; ++row) {
    std::memcpy(block + row * kPanel, from + row * stride, columns * sizeof(float));
  }
}

void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, Destination destination, float* d_weight,
                               float* scratch) {
  const size_t in = transposed.rows;
  const size_t rows = transposed.dim;
  float* block = scratch;                        // [128, 64] of d_result
  float* panel = scratch + kCodeBlock * kPanel;  // [in, 64]: the gradient, transposed
  if (rows == 0) {
    if (destination == Destination::overwrite) std::memset(d_weight, 0, in * out * sizeof(float));
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
      gather_add_panel(block, transposed.list(row / kCodeBlock, 0),
                       transposed.counts + row / kCodeBlock * in, in, row == 0 ? zeros : nullptr,
                       next, panel, kPanel);
    }
    if (destination == Destination::add) {
      transpose<true>(panel, kPanel, in, columns, d_weight + column * in, in);
    } else {
      transpose<false>(panel, kPanel, in, columns, d_weight + column * in, in);
    }
  }
}

void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns,
                 Destination destination, float* sums) {
  const FloatTag d;
  if (destination == Destination::overwrite) std::memset(sums, 0, columns * sizeof(float));
  for_each_vector(columns, [&](size_t i, size_t lanes) HWY_ATTR {
    FloatVec even = load_some(d, sums + i, lanes);
    FloatVec odd = hn::Zero(d);
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

HWY_EXPORT(selection_weight_gradient);
HWY_EXPORT(column_sums);

size_t selection_weight_gradient_scratch(size_t in) { return (kCodeBlock + in) * 64; }

void selection_weight_gradient(const CodeLists& transposed, const float* d_result, size_t d_stride,
                               size_t out, Destination destination, float* d_weight,
                               float* scratch) {
  EATT_DISPATCH(selection_weight_gradient)
  (transposed, d_result, d_stride, out, destination, d_weight, scratch);
}

void column_sums(const float* matrix, size_t stride, size_t rows, size_t columns,
                 Destination destination, float* sums) {
  EATT_DISPATCH(column_sums)(matrix, stride, rows, columns, destination, sums);
}

}  // namespace eatt::kernels
#endif
