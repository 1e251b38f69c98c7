#include "kernels/selection/surrogate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/selection/surrogate.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/exp-inl.h"
#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x) {
  constexpr float kRootOfTwoOverPi = 0.797884561f;
  const FloatTag d;
  const auto peak = hn::Set(d, kRootOfTwoOverPi / width);
  const auto narrowness = hn::Set(d, -2.0f / (width * width));
  const auto slope = [&](size_t i, size_t n, FloatVec tau) HWY_ATTR {
    const auto distance = hn::Sub(load_some(d, x + i, n), tau);
    const auto bell = exp_of(d, hn::Mul(hn::Mul(distance, distance), narrowness));
    store_some(hn::Mul(hn::Mul(bell, peak), load_some(d, d_code + i, n)), d, d_x + i, n);
  };
  if (!threshold.per_feature) {
    const auto tau = hn::Set(d, *threshold.values);
    for_each_vector(rows * dim, [&](size_t i, size_t n) HWY_ATTR { slope(i, n, tau); });
    return;
  }
  for (size_t row = 0; row < rows; ++row) {
    for_each_vector(dim, [&](size_t f, size_t n) HWY_ATTR {
      slope(row * dim + f, n, load_some(d, threshold.values + f, n));
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(surrogate_gradient);

void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x) {
  EATT_DISPATCH(surrogate_gradient)(x, d_code, rows, dim, threshold, width, d_x);
}

}  // namespace eatt::kernels
#endif
