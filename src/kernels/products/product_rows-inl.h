// What products of floats and of int8 share.
#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/products/products.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_PRODUCT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_PRODUCT_ROWS_INL_H_
#undef EATT_KERNELS_PRODUCT_ROWS_INL_H_
#else
#define EATT_KERNELS_PRODUCT_ROWS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

inline constexpr size_t kCacheLine = 64;
inline constexpr int kL1Cache = 3, kL2Cache = 2;  // For __builtin_prefetch.

// NaN stays NaN, on every instruction set.
HWY_INLINE FloatVec activated(FloatVec y, Activation activation) {
  if (activation == Activation::none) return y;
  return hn::IfThenZeroElse(hn::Lt(y, hn::Zero(FloatTag())), y);
}

// Calls body(first row, count) for `rows` rows in tiles of at most `largest`, as equal as possible:
// a tile of one row would take nearly as long as a full one.
template <class Body>
HWY_INLINE void for_each_row_tile(size_t rows, size_t largest, const Body& body) {
  const size_t tiles = (rows + largest - 1) / largest;
  for (size_t tile = 0, first = 0; tile < tiles; ++tile) {
    const size_t last = rows * (tile + 1) / tiles;
    body(first, last - first);
    first = last;
  }
}

template <class Body, size_t... less_one>
HWY_INLINE void with_one_of(size_t rows, const Body& body, std::index_sequence<less_one...>) {
  (void)((rows == less_one + 1 && (body(std::integral_constant<size_t, less_one + 1>()), true)) ||
         ...);
}

// Calls body(std::integral_constant<size_t, rows>), for 1 … largest rows.
template <size_t largest, class Body>
HWY_INLINE void with_row_count(size_t rows, const Body& body) {
  with_one_of(rows, body, std::make_index_sequence<largest>());
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
