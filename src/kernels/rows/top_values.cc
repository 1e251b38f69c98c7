#include "kernels/rows/top_values.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/top_values.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// The list so far, the largest first.
class TopList {
 public:
  TopList(TopValue* values, size_t capacity) : values_(values), capacity_(capacity) {}

  size_t size() const { return size_; }
  // What a value has to exceed: later ones give way to equal ones.
  float bar() const { return size_ < capacity_ ? kMinusInfinity : values_[size_ - 1].value; }

  void insert(float value, size_t index) {
    if (size_ < capacity_) ++size_;
    size_t place = size_ - 1;
    for (; place > 0 && values_[place - 1].value < value; --place) {
      values_[place] = values_[place - 1];
    }
    values_[place] = {value, static_cast<int32_t>(index)};
  }

 private:
  TopValue* values_;
  size_t capacity_;
  size_t size_ = 0;
};

// The larger one of each lane, or `other` where x is NaN.
HWY_INLINE FloatVec larger(FloatVec x, FloatVec other) {
#if HWY_ARCH_X86
  return hn::Max(x, other);  // Max gives the second operand if one is NaN.
#else
  return hn::IfThenElse(hn::Gt(x, other), x, other);
#endif
}

// Takes what exceeds the bar from kLanes numbers, of which number 0 has this index.
HWY_INLINE void take_from_vector(FloatVec x, size_t index, TopList& list) {
  const FloatTag d;
  uint64_t bits = 0;
  HWY_ALIGN uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, hn::Gt(x, hn::Set(d, list.bar())), bytes);
  std::memcpy(&bits, bytes, sizeof(bits));
  if (bits == 0) return;
  HWY_ALIGN float values[kLanes];
  hn::Store(x, d, values);
  for (; bits != 0; bits &= bits - 1) {
    const auto lane = static_cast<size_t>(__builtin_ctzll(bits));
    if (values[lane] > list.bar()) list.insert(values[lane], index + lane);
  }
}

size_t top_values(const float* x, size_t size, size_t count, TopValue* out) {
  if (count == 0) return 0;
  const FloatTag d;
  TopList list(out, count);
  constexpr size_t kVectors = 8;  // Looked at together: few hold anything new.
  size_t i = 0;
  for (; i + kVectors * kLanes <= size; i += kVectors * kLanes) {
    const FloatVec bar = hn::Set(d, list.bar());
    FloatVec most[2] = {bar, bar};
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      most[v % 2] = larger(hn::LoadU(d, x + i + v * kLanes), most[v % 2]);
    }
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(hn::Max(most[0], most[1]), bar)))) continue;
    for (size_t v = 0; v < kVectors; ++v) {
      take_from_vector(hn::LoadU(d, x + i + v * kLanes), i + v * kLanes, list);
    }
  }
  for_each_vector(size - i, [&](size_t k, size_t lanes) HWY_ATTR {
    take_from_vector(load_or_minus_infinity(d, x + i + k, lanes), i + k, list);
  });
  return list.size();
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(top_values);

size_t top_values(const float* x, size_t size, size_t count, TopValue* out) {
  return EATT_DISPATCH(top_values)(x, size, count, out);
}

}  // namespace eatt::kernels
#endif
