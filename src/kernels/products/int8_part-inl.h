// Columns of packed weights of eight bits, and how their sums become numbers of y.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/products/int8_dot-inl.h"
#include "kernels/products/int8_product.h"
#include "kernels/products/product_rows-inl.h"

#if defined(EATT_KERNELS_INT8_PART_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_INT8_PART_INL_H_
#undef EATT_KERNELS_INT8_PART_INL_H_
#else
#define EATT_KERNELS_INT8_PART_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

inline constexpr size_t kGroupBytes = kInt8PanelColumns * kInt8GroupSize;

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

HWY_INLINE Int8Part part_of(const Int8Matrix& matrix, size_t column) {
  const size_t groups = (matrix.in + kInt8GroupSize - 1) / kInt8GroupSize;
  return {matrix.panels + column * groups * kInt8GroupSize,
          groups,
          matrix.sums + column,
          matrix.scales + column,
          matrix.bias == nullptr ? nullptr : matrix.bias + column,
          HWY_MIN(kInt8PanelColumns, matrix.out - column)};
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
