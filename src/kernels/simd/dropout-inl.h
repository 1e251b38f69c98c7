// The mask of rows/rows.h, a vector at a time, for kernels that apply dropout on the fly.
#include <hwy/highway.h>

#include "kernels/rows/rows.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_DROPOUT_INL_H_
#undef EATT_KERNELS_DROPOUT_INL_H_
#else
#define EATT_KERNELS_DROPOUT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using IndexTag = hn::RebindToUnsigned<FloatTag>;
using IndexVec = hn::Vec<IndexTag>;
using FloatMask = hn::Mask<FloatTag>;

// first, first + 1, …
HWY_INLINE IndexVec indices_from(FloatTag, uint32_t first) { return hn::Iota(IndexTag(), first); }

// Which of the elements with these indices in their row are kept. The mixing is two rounds of
// shift-and-multiply; a last shift would only touch bits too low to matter for a threshold.
HWY_INLINE FloatMask keep_mask(FloatTag d, IndexVec indices, DropoutRow row, int32_t threshold) {
  const IndexTag di;
  const hn::RebindToSigned<FloatTag> ds;
  IndexVec hash = hn::Add(indices, hn::Set(di, row.offset));
  hash = hn::Xor(hash, hn::ShiftRight<16>(hash));
  hash = hn::Mul(hash, hn::Set(di, 0x21f0aaadu));
  hash = hn::Add(hash, hn::Set(di, row.key));
  hash = hn::Xor(hash, hn::ShiftRight<15>(hash));
  hash = hn::Mul(hash, hn::Set(di, 0xd35a2d97u));
  return hn::RebindMask(d, hn::Gt(hn::BitCast(ds, hash), hn::Set(ds, threshold)));
}

HWY_INLINE FloatMask keep_mask(FloatTag d, uint32_t first, DropoutRow row, int32_t threshold) {
  return keep_mask(d, indices_from(d, first), row, threshold);
}

// Calls body(start of a vector, lanes in use, which of them are kept) over a part of a long tensor.
template <class Body>
HWY_INLINE void for_each_dropped_vector(size_t size, const Dropout& dropout, uint64_t first,
                                        const Body& body) {
  const FloatTag d;
  for (size_t start = 0; start < size;) {
    const uint64_t number = first + start;
    const uint64_t inside = number % kDropoutBlock;
    const DropoutRow row = dropout_row(dropout.seed, number / kDropoutBlock);
    const auto part =
        static_cast<size_t>(HWY_MIN(kDropoutBlock - inside, static_cast<uint64_t>(size - start)));
    for_each_vector(part, [&](size_t i, size_t count) HWY_ATTR {
      const auto first_index = static_cast<uint32_t>(inside + i);
      body(start + i, count, keep_mask(d, first_index, row, dropout.rate.threshold));
    });
    start += part;
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
