#include "kernels/rows/softmax_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/softmax_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out) {
  for (size_t r = 0; r < rows; ++r) out[r] = log_sum_exp(FloatTag(), x + r * width, width);
}

// Three passes over a row that stays in the cache: largest, exponentials and their sum, division.
void softmax_row(const float* x, size_t width, float* out) {
  const FloatTag d;
  const float most = row_max(d, x, width);
  const FloatVec shift = hn::Set(d, most == kMinusInfinity ? 0 : most);
  FloatVec sums = hn::Zero(d);
  for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
    const FloatVec e = exp_of(d, hn::Sub(load_or_minus_infinity(d, x + i, count), shift));
    sums = hn::Add(sums, e);
    store_some(e, d, out + i, count);
  });
  const float sum = sum_of_lanes(d, sums);
  const FloatVec inverse = hn::Set(d, sum == 0 ? 0 : 1 / sum);
  for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
    store_some(hn::Mul(load_some(d, out + i, count), inverse), d, out + i, count);
  });
}

void softmax_rows(const float* x, size_t rows, size_t width, float* out) {
  for (size_t r = 0; r < rows; ++r) softmax_row(x + r * width, width, out + r * width);
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(log_sum_exp_rows);
void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out) {
  EATT_DISPATCH(log_sum_exp_rows)(x, rows, width, out);
}

HWY_EXPORT(softmax_rows);
void softmax_rows(const float* x, size_t rows, size_t width, float* out) {
  EATT_DISPATCH(softmax_rows)(x, rows, width, out);
}

}  // namespace eatt::kernels
#endif
