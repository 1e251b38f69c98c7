#include "kernels/rows/dropout.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/dropout.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, dropout.rate.scale);
  for_each_dropped_vector(
      size, dropout, first, [&](size_t i, size_t count, FloatMask keep) HWY_ATTR {
        const FloatVec value = load_some(d, x + i, count);
        store_some(hn::IfThenElseZero(keep, hn::Mul(value, scale)), d, out + i, count);
      });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {
namespace {

// Spreads every bit of x over all 64 (the finaliser of SplitMix64).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

DropoutRate dropout_rate(double rate) {
  const double dropped = std::clamp(std::round(rate * 0x1p32), 1.0, 0x1p32 - 1);
  return {.threshold = static_cast<int32_t>(dropped - 1 - 0x1p31),
          .scale = static_cast<float>(1 / (1 - rate))};
}

DropoutRow dropout_row(uint64_t seed, uint64_t row) {
  const uint64_t mixed = mix(mix(seed + 0x9e3779b97f4a7c15) ^ (row * 0xd1342543de82ef95));
  return {.offset = static_cast<uint32_t>(mixed), .key = static_cast<uint32_t>(mixed >> 32)};
}

HWY_EXPORT(drop);
void drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out) {
  EATT_DISPATCH(drop)(x, size, dropout, first, out);
}

}  // namespace eatt::kernels
#endif
