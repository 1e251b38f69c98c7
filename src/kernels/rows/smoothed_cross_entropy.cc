#include "kernels/rows/smoothed_cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/smoothed_cross_entropy.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// In parts, each summed in float and together in double: a vocabulary has tens of thousands of
// words.
HWY_INLINE double sum_of_row(FloatTag d, const float* x, size_t size) {
  constexpr size_t kPart = 64 * kLanes;
  double total = 0;
  for (size_t begin = 0; begin < size; begin += kPart) {
    FloatVec sums[2] = {hn::Zero(d), hn::Zero(d)};
    const size_t part = HWY_MIN(kPart, size - begin);
    size_t i = 0;
    for (; i + 2 * kLanes <= part; i += 2 * kLanes) {
      sums[0] = hn::Add(sums[0], hn::LoadU(d, x + begin + i));
      sums[1] = hn::Add(sums[1], hn::LoadU(d, x + begin + i + kLanes));
    }
    for_each_vector(part - i, [&](size_t k, size_t count) HWY_ATTR {
      sums[0] = hn::Add(sums[0], load_some(d, x + begin + i + k, count));
    });
    total += sum_of_lanes(d, hn::Add(sums[0], sums[1]));
  }
  return total;
}

void smoothed_cross_entropy(const LabelledLogits& rows, RowLoss* losses, float* log_sums) {
  const FloatTag d;
  for (size_t r = 0; r < rows.rows; ++r) {
    const float* x = rows.logits + r * rows.vocab;
    const float log_sum = log_sum_exp(d, x, rows.vocab);
    const double likelihood = static_cast<double>(log_sum) - x[rows.labels[r]];
    double smoothed = likelihood;
    if (rows.smoothing > 0) {
      const double mean = sum_of_row(d, x, rows.vocab) / static_cast<double>(rows.vocab);
      smoothed = (1 - rows.smoothing) * likelihood + rows.smoothing * (log_sum - mean);
    }
    losses[r] = {.smoothed = smoothed, .likelihood = likelihood};
    log_sums[r] = log_sum;
  }
}

void smoothed_cross_entropy_backward(const LabelledLogits& rows, const float* log_sums, float scale,
                                     float* gradient) {
  const FloatTag d;
  const double spread = rows.smoothing / static_cast<double>(rows.vocab);
  const FloatVec scales = hn::Set(d, scale);
  const FloatVec offset = hn::Set(d, static_cast<float>(-spread * scale));
  const auto at_label = static_cast<float>((1 - rows.smoothing) * scale);
  for (size_t r = 0; r < rows.rows; ++r) {
    const float* x = rows.logits + r * rows.vocab;
    float* out = gradient + r * rows.vocab;
    const FloatVec log_sum = hn::Set(d, log_sums[r]);
    const auto gradient_of = [&](FloatVec logits) HWY_ATTR {
      return hn::MulAdd(exp_of(d, hn::Sub(logits, log_sum)), scales, offset);
    };
    size_t i = 0;
    for (; i + 2 * kLanes <= rows.vocab; i += 2 * kLanes) {
      const FloatVec first = gradient_of(hn::LoadU(d, x + i));
      const FloatVec second = gradient_of(hn::LoadU(d, x + i + kLanes));
      hn::StoreU(first, d, out + i);
      hn::StoreU(second, d, out + i + kLanes);
    }
    for_each_vector(rows.vocab - i, [&](size_t k, size_t count) HWY_ATTR {
      store_some(gradient_of(load_some(d, x + i + k, count)), d, out + i + k, count);
    });
    out[rows.labels[r]] -= at_label;
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(smoothed_cross_entropy);
void smoothed_cross_entropy(const LabelledLogits& rows, RowLoss* losses, float* log_sums) {
  EATT_DISPATCH(smoothed_cross_entropy)(rows, losses, log_sums);
}

HWY_EXPORT(smoothed_cross_entropy_backward);
void smoothed_cross_entropy_backward(const LabelledLogits& rows, const float* log_sums, float scale,
                                     float* gradient) {
  EATT_DISPATCH(smoothed_cross_entropy_backward)(rows, log_sums, scale, gradient);
}

}  // namespace eatt::kernels
#endif
