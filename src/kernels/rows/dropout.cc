#include <algorithm>
#include <cmath>

#include "kernels/rows/rows.h"

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

void add_dropped(const float* x, const float* delta, size_t size, const Dropout& dropout,
                 uint64_t first, float* out) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, dropout.rate.scale);
  for_each_dropped_vector(
      size, dropout, first, [&](size_t i, size_t count, FloatMask keep) HWY_ATTR {
        const FloatVec kept = hn::IfThenElseZero(keep, load_some(d, delta + i, count));
        store_some(hn::MulAdd(kept, scale, load_some(d, x + i, count)), d, out + i, count);
      });
}

HWY_INLINE FloatVec biased_relu(FloatTag d, const float* x, const float* bias, size_t count) {
  const FloatVec sum = hn::Add(load_some(d, x, count), load_some(d, bias, count));
  return hn::IfThenZeroElse(hn::Lt(sum, hn::Zero(d)), sum);
}

void bias_relu_drop(const HiddenRows& hidden, float* x) {
  const FloatTag d;
  const float* bias = hidden.bias;
  for (size_t r = 0; r < hidden.rows; ++r) {
    float* row = x + r * hidden.width;
    if (hidden.dropout == nullptr) {
      for_each_vector(hidden.width, [&](size_t i, size_t count) HWY_ATTR {
        store_some(biased_relu(d, row + i, bias + i, count), d, row + i, count);
      });
      continue;
    }
    const FloatVec scale = hn::Set(d, hidden.dropout->rate.scale);
    for_each_dropped_vector(hidden.width, *hidden.dropout, hidden.first + r * hidden.width,
                            [&](size_t i, size_t count, FloatMask keep) HWY_ATTR {
                              const FloatVec scaled =
                                  hn::Mul(biased_relu(d, row + i, bias + i, count), scale);
                              store_some(hn::IfThenElseZero(keep, scaled), d, row + i, count);
                            });
  }
}

// Four rows at a time, so that the sums of the bias are read and written a quarter as often.
void bias_relu_drop_backward(const HiddenRows& hidden, const float* out, const float* incoming,
                             float* gradient, float* bias_gradient) {
  const FloatTag d;
  const size_t width = hidden.width;
  const FloatVec scale = hn::Set(d, hidden.dropout == nullptr ? 1.0f : hidden.dropout->rate.scale);
  for (size_t r = 0; r < hidden.rows; r += 4) {
    const size_t rows = HWY_MIN(size_t{4}, hidden.rows - r);
    for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
      FloatVec sum = load_some(d, bias_gradient + i, count);
      for (size_t k = r * width + i; k < (r + rows) * width; k += width) {
        const auto open = hn::Gt(load_some(d, out + k, count), hn::Zero(d));
        const FloatVec passed =
            hn::IfThenElseZero(open, hn::Mul(load_some(d, incoming + k, count), scale));
        store_some(passed, d, gradient + k, count);
        sum = hn::Add(sum, passed);
      }
      store_some(sum, d, bias_gradient + i, count);
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

namespace {

// Spreads every bit of x over all 64 (SplitMix64's last step).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

DropoutRate dropout_rate(double rate) noexcept {
  const double dropped = std::clamp(std::round(rate * 0x1p32), 1.0, 0x1p32 - 1);
  return {.threshold = static_cast<int32_t>(dropped - 1 - 0x1p31),
          .scale = static_cast<float>(1 / (1 - rate))};
}

DropoutRow dropout_row(uint64_t seed, uint64_t row) noexcept {
  const uint64_t mixed = mix(mix(seed + 0x9e3779b97f4a7c15) ^ (row * 0xd1342543de82ef95));
  return {.offset = static_cast<uint32_t>(mixed), .key = static_cast<uint32_t>(mixed >> 32)};
}

HWY_EXPORT(drop);
void drop(const float* x, size_t size, const Dropout& dropout, uint64_t first,
          float* out) noexcept {
  EATT_DISPATCH(drop)(x, size, dropout, first, out);
}

HWY_EXPORT(add_dropped);
void add_dropped(const float* x, const float* delta, size_t size, const Dropout& dropout,
                 uint64_t first, float* out) noexcept {
  EATT_DISPATCH(add_dropped)(x, delta, size, dropout, first, out);
}

HWY_EXPORT(bias_relu_drop);
void bias_relu_drop(const HiddenRows& hidden, float* x) noexcept {
  EATT_DISPATCH(bias_relu_drop)(hidden, x);
}

HWY_EXPORT(bias_relu_drop_backward);
void bias_relu_drop_backward(const HiddenRows& hidden, const float* out, const float* incoming,
                             float* gradient, float* bias_gradient) noexcept {
  EATT_DISPATCH(bias_relu_drop_backward)(hidden, out, incoming, gradient, bias_gradient);
}

}  // namespace eatt::kernels
#endif
