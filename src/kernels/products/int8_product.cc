#include <cstring>
#include <limits>

#include "kernels/products/products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/products/int8_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/products/int8_signs-inl.h"
#include "kernels/products/int8_tiles-inl.h"
#include "kernels/products/int8_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using BitsTag = hn::RebindToSigned<FloatTag>;
using BitsVec = hn::Vec<BitsTag>;

// max|x|, or NaN or infinity if there is one: without the sign bit, floats are ordered like the
// integers of the same bits, with NaN at the top.
HWY_INLINE float largest_magnitude(const float* x, size_t width) {
  const FloatTag d;
  const BitsTag di;
  BitsVec largest[2] = {hn::Zero(di), hn::Zero(di)};
  const auto bits = [&](FloatVec v) HWY_ATTR { return hn::BitCast(di, hn::Abs(v)); };
  size_t i = 0;
  for (; i + 2 * kLanes <= width; i += 2 * kLanes) {
    largest[0] = hn::Max(largest[0], bits(hn::LoadU(d, x + i)));
    largest[1] = hn::Max(largest[1], bits(hn::LoadU(d, x + i + kLanes)));
  }
  for (; i < width; i += kLanes) {
    largest[0] = hn::Max(largest[0], bits(load_some(d, x + i, HWY_MIN(kLanes, width - i))));
  }
  const BitsVec all = hn::MaxOfLanes(di, hn::Max(largest[0], largest[1]));
  return hn::GetLane(hn::BitCast(d, all));
}

// Stores kLanes integers of 0 … 255 as bytes.
HWY_INLINE void store_bytes(BitsVec integers, uint8_t* to) {
#if HWY_TARGET == HWY_AVX3
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(integers.raw));
#else
  const hn::Rebind<uint8_t, FloatTag> d8;
  hn::StoreU(hn::DemoteTo(d8, integers), d8, to);
#endif
}

// to [round_up(width, 64)] = 128 + x · before · factor, rounded.
HWY_INLINE void quantize_row(const float* x, size_t width, float before, float factor,
                             uint8_t* to) {
  const FloatTag d;
  const BitsTag di;
  // Floats from 2²³ to 2²⁴ are integers, so this addition rounds and leaves the integer in the
  // lowest bits. Ties still go to even because the added constant is even.
  const FloatVec rounder = hn::Set(d, 12582912.0f + 128.0f);
  const auto quantized = [&](FloatVec v) HWY_ATTR {
    const FloatVec scaled = hn::Mul(hn::Mul(v, hn::Set(d, before)), hn::Set(d, factor));
    return hn::And(hn::BitCast(di, hn::Add(scaled, rounder)), hn::Set(di, 255));
  };
  size_t i = 0;
  for (; i + kLanes <= width; i += kLanes) store_bytes(quantized(hn::LoadU(d, x + i)), to + i);
  if (i < width) {
    store_bytes(quantized(load_first(d, x + i, width - i)), to + i);
    i += kLanes;
  }
  std::memset(to + i, 128, quantized_stride(width) - i);
}

void quantize_rows(const float* x, size_t x_stride, size_t rows, size_t width, uint8_t* values,
                   float* scales) {
  const size_t stride = quantized_stride(width);
  for (size_t row = 0; row < rows; ++row, x += x_stride, values += stride) {
    const float largest = largest_magnitude(x, width);
    if (!(largest <= std::numeric_limits<float>::max())) {
      scales[row] = std::numeric_limits<float>::quiet_NaN();
      std::memset(values, 128, stride);
      continue;
    }
    scales[row] = largest / 127.0f;
    // 127 / largest would be infinite for the smallest floats; scaling by a power of two is exact.
    const float before = largest < 0x1p-64f ? 0x1p64f : 1.0f;
    const float factor = largest == 0 ? 0.0f : 127.0f / (largest * before);
    quantize_row(x, width, before, factor, values);
  }
}

// With at least this many rows, AMX tiles are faster than vectors.
inline constexpr size_t kRowsForTiles = 3;

// Size of a block of rows: it stays in the L2 cache while all panels pass over it.
inline constexpr size_t kBlockBytes = 512 << 10;

// Calls body(rows, their result) for blocks of at most `largest` rows.
template <class Body>
HWY_INLINE void for_each_block(const QuantizedRows& x, const ProductResult& result, size_t largest,
                               const Body& body) {
  for_each_row_tile(x.rows, largest, [&](size_t first, size_t count) HWY_ATTR {
    body({x.values + first * x.stride, x.scales + first, count, x.stride},
         {result.data + first * result.stride, result.stride, result.activation});
  });
}

void int8_product(const Int8Matrix& matrix, const QuantizedRows& x, const ProductResult& result) {
  using Rows = const QuantizedRows&;
  using Result = const ProductResult&;
  const size_t largest = kBlockBytes / HWY_MAX(x.stride, size_t{1}) + 1;
#if HWY_TARGET == HWY_AVX3
  if (amx_enabled() && x.rows >= kRowsForTiles) {
    return for_each_block(x, result, largest,
                          [&](Rows rows, Result y) HWY_ATTR { product_by_tiles(matrix, rows, y); });
  }
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_NEON
  if (vnni_enabled()) {
    return for_each_block(x, result, largest, [&](Rows rows, Result y) HWY_ATTR {
      product_by_vectors<true>(matrix, rows, y);
    });
  }
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if (const size_t signed_rows = signed_block_rows(x); signed_rows != 0) {
    return for_each_block(x, result, signed_rows,
                          [&](Rows rows, Result y) HWY_ATTR { signed_block(matrix, rows, y); });
  }
#endif
  for_each_block(x, result, largest,
                 [&](Rows rows, Result y) HWY_ATTR { product_by_vectors<false>(matrix, rows, y); });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(int8_product);
HWY_EXPORT(quantize_rows);

size_t quantized_stride(size_t width) noexcept { return (width + 63) / 64 * 64; }

size_t quantized_rows_size(size_t rows, size_t width) noexcept {
  return rows * quantized_stride(width);
}

QuantizedRows quantize_rows(const float* x, size_t x_stride, size_t rows, size_t width,
                            uint8_t* values, float* scales) noexcept {
  EATT_DISPATCH(quantize_rows)(x, x_stride, rows, width, values, scales);
  return {values, scales, rows, quantized_stride(width)};
}

void int8_product(const Int8Matrix& matrix, const QuantizedRows& x,
                  const ProductResult& result) noexcept {
  EATT_DISPATCH(int8_product)(matrix, x, result);
}

}  // namespace eatt::kernels
#endif
