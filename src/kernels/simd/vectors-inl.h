// Loads and stores of rows that do not fill their last vector, and sums over lanes. Every kernel
// uses it.
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
inline constexpr size_t kLanes = HWY_LANES(float);  // Constant because SVE is disabled.

// With 32 registers a tile may have 8 × 2 accumulators beside its operands, with 16 half of that.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr size_t kTileRows = 8;
#else
inline constexpr size_t kTileRows = 4;
#endif

inline constexpr size_t round_up(size_t n, size_t step) { return (n + step - 1) / step * step; }

// The first `count` < kLanes numbers at `from`, zeros after them; never reads beyond them.
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

// Calls body(start of a vector, lanes in use): full vectors first, then the rest.
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

// Rows [count, dim] → [count, dim rounded up to full vectors], zeros after each.
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

// Sums over the lanes of many vectors at once: sixteen of them cost thirty shuffles, where one by
// one, each would be a chain of four.
#if HWY_TARGET == HWY_SCALAR
template <class D, class Make>
HWY_INLINE hn::Vec<D> sums_of_vectors(D, size_t, const Make& make) {
  return make(0);
}
#else
// In each block of 128 bits the sums of those blocks of make(first) … make(first + 3); beyond
// `last`, make(last) is repeated.
template <class D, class Make>
HWY_INLINE hn::Vec<D> quad_sums(D d, size_t first, size_t last, const Make& make) {
  const hn::RepartitionToWide<D> pairs;
  const auto a = make(first), b = make(HWY_MIN(first + 1, last));
  const auto ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const auto c = make(HWY_MIN(first + 2, last)), e = make(HWY_MIN(first + 3, last));
  const auto ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  const auto left = hn::BitCast(pairs, ab), right = hn::BitCast(pairs, ce);
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, left, right)),
                 hn::BitCast(d, hn::InterleaveUpper(pairs, left, right)));
}

#if HWY_MAX_BYTES == 64
// The blocks (a0 + a1, a2 + a3, b0 + b1, b2 + b3).
template <class D>
HWY_INLINE hn::Vec<D> add_neighbour_blocks(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const hn::Repartition<int32_t, D> ints;
  const __m512i left = hn::BitCast(ints, a).raw, right = hn::BitCast(ints, b).raw;
  using Ints = hn::Vec<decltype(ints)>;
  const Ints even{_mm512_shuffle_i32x4(left, right, 0x88)};
  const Ints odd{_mm512_shuffle_i32x4(left, right, 0xdd)};
  return hn::Add(hn::BitCast(d, even), hn::BitCast(d, odd));
}
#endif

// Lane i < count is the sum of the lanes of make(i); count is 1 … kLanes and make is called only
// for smaller i. The order of additions is the same for every i.
template <class D, class Make>
HWY_INLINE hn::Vec<D> sums_of_vectors(D d, size_t count, const Make& make) {
  hn::Vec<D> quads[kLanes / 4];
#pragma GCC unroll 4
  for (size_t q = 0; q < kLanes / 4; ++q) {
    quads[q] = 4 * q < count ? quad_sums(d, 4 * q, count - 1, make) : hn::Zero(d);
  }
#if HWY_MAX_BYTES == 16
  return quads[0];
#elif HWY_MAX_BYTES == 32
  return hn::Add(hn::ConcatLowerLower(d, quads[1], quads[0]),
                 hn::ConcatUpperUpper(d, quads[1], quads[0]));
#else
  return add_neighbour_blocks(d, add_neighbour_blocks(d, quads[0], quads[1]),
                              add_neighbour_blocks(d, quads[2], quads[3]));
#endif
}
#endif

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
