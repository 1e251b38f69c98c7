#include "kernels/residual.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/residual.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void add_dropped(const float* x, const float* change, size_t size, const Dropout& dropout,
                 uint64_t first, float* out) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, dropout.rate.scale);
  for_each_dropped_vector(
      size, dropout, first, [&](size_t i, size_t count, FloatMask keep) HWY_ATTR {
        const FloatVec kept = hn::IfThenElseZero(keep, load_some(d, change + i, count));
        store_some(hn::MulAdd(kept, scale, load_some(d, x + i, count)), d, out + i, count);
      });
}

void relu_drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, dropout.rate.scale);
  for_each_dropped_vector(
      size, dropout, first, [&](size_t i, size_t count, FloatMask keep) HWY_ATTR {
        const FloatVec value = load_some(d, x + i, count);
        const FloatVec kept = hn::IfThenElseZero(keep, hn::Mul(value, scale));
        store_some(hn::IfThenZeroElse(hn::Lt(value, hn::Zero(d)), kept), d, out + i, count);
      });
}

void relu_drop_backward(const float* out, const float* incoming, size_t size, float scale,
                        float* gradient) {
  const FloatTag d;
  const FloatVec scales = hn::Set(d, scale);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    const auto open = hn::Gt(load_some(d, out + i, count), hn::Zero(d));
    const FloatVec scaled = hn::Mul(load_some(d, incoming + i, count), scales);
    store_some(hn::IfThenElseZero(open, scaled), d, gradient + i, count);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(add_dropped);
void add_dropped(const float* x, const float* change, size_t size, const Dropout& dropout,
                 uint64_t first, float* out) {
  EATT_DISPATCH(add_dropped)(x, change, size, dropout, first, out);
}

HWY_EXPORT(relu_drop);
void relu_drop(const float* x, size_t size, const Dropout& dropout, uint64_t first, float* out) {
  EATT_DISPATCH(relu_drop)(x, size, dropout, first, out);
}

HWY_EXPORT(relu_drop_backward);
void relu_drop_backward(const float* out, const float* incoming, size_t size, float scale,
                        float* gradient) {
  EATT_DISPATCH(relu_drop_backward)(out, incoming, size, scale, gradient);
}

}  // namespace eatt::kernels
#endif
