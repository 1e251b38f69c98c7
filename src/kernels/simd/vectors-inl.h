// Loads and stores of rows whose length is no multiple of a vector, for all kernels.
#include <hwy/highway.h>

#include <cstddef>

#if defined(EATT_KERNELS_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_VECTORS_INL_H_
#undef EATT_KERNELS_VECTORS_INL_H_
#else
#define EATT_KERNELS_VECTORS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;
inline constexpr size_t kLanes = HWY_LANES(float);  // A constant: SVE is not compiled.

// With 32 registers a tile may have 8 × 2 accumulators beside its operands, with 16 half of that.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kTileRows = 8;
#else
inline constexpr size_t kTileRows = 4;
#endif

inline constexpr size_t round_up(size_t n, size_t step) { return (n + step - 1) / step * step; }

// The first `count` < kLanes numbers at `from`, zeros after them; reads nothing beyond.
inline FloatVec load_first(FloatTag d, const float* from, size_t count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  HWY_ALIGN float padded[kLanes] = {};
  for (size_t i = 0; i < count; ++i) padded[i] = from[i];
  return hn::Load(d, padded);
#endif
}

inline void store_first(FloatVec v, FloatTag d, float* to, size_t count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float padded[kLanes] = {};
  hn::Store(v, d, padded);
  for (size_t i = 0; i < count; ++i) to[i] = padded[i];
#endif
}

// body(vector's start, lanes in use): whole vectors first, then what is left.
template <class Body>
HWY_INLINE void for_each_vector(size_t size, const Body& body) {
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) body(i, kLanes);
  if (i < size) body(i, size - i);
}

inline FloatVec load_some(FloatTag d, const float* from, size_t count) {
  return count == kLanes ? hn::LoadU(d, from) : load_first(d, from, count);
}

inline void store_some(FloatVec v, FloatTag d, float* to, size_t count) {
  if (count == kLanes) {
    hn::StoreU(v, d, to);
  } else {
    store_first(v, d, to, count);
  }
}

// Rows [count, dim] → [count, dim rounded up to whole vectors], zeros after each.
inline void copy_padded(const float* rows, size_t stride, size_t count, size_t dim, float* out) {
  const size_t padded = round_up(dim, kLanes);
  const FloatTag d;
  for (size_t i = 0; i < count; ++i, rows += stride, out += padded) {
    size_t f = 0;
    for (; f + kLanes <= dim; f += kLanes) hn::StoreU(hn::LoadU(d, rows + f), d, out + f);
    for (; f < dim; ++f) out[f] = rows[f];
    for (; f < padded; ++f) out[f] = 0.0f;
  }
}

inline float sum_of_lanes(FloatTag d, FloatVec v) { return hn::GetLane(hn::SumOfLanes(d, v)); }

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
