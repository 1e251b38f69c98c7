#include <cmath>

#include "kernels/rows/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/layer_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Σ term(start of a vector, lanes in use) over a row, in two parallel sums.
template <class Term>
HWY_INLINE float sum_of_terms(FloatTag d, size_t size, const Term& term) {
  FloatVec sums[2] = {hn::Zero(d), hn::Zero(d)};
  size_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    sums[0] = hn::Add(sums[0], term(i, kLanes));
    sums[1] = hn::Add(sums[1], term(i + kLanes, kLanes));
  }
  for_each_vector(size - i, [&](size_t k, size_t count)
                                HWY_ATTR { sums[0] = hn::Add(sums[0], term(i + k, count)); });
  return sum_of_lanes(d, hn::Add(sums[0], sums[1]));
}

// A row stays in the L1 cache, so three passes over it cost little, and the variance is computed
// from centred values: accurate even if the mean is far from 0.
void layer_norm(const LayerNormRows& rows, float* out, const RowMoments& moments) {
  const FloatTag d;
  const size_t width = rows.width;
  const float share = 1.0f / static_cast<float>(width);
  for (size_t r = 0; r < rows.rows; ++r) {
    const float* x = rows.x + r * width;
    float* y = out + r * width;
    const float mean = share * sum_of_terms(d, width, [&](size_t i, size_t count) HWY_ATTR {
                         return load_some(d, x + i, count);
                       });
    const FloatVec means = hn::Set(d, mean);
    const float variance = share * sum_of_terms(d, width, [&](size_t i, size_t count) HWY_ATTR {
                             FloatVec centred = hn::Sub(load_some(d, x + i, count), means);
                             if (count < kLanes)
                               centred = hn::IfThenElseZero(hn::FirstN(d, count), centred);
                             return hn::Mul(centred, centred);
                           });
    const float inverse = 1 / std::sqrt(variance + rows.epsilon);
    const FloatVec inverses = hn::Set(d, inverse);
    for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
      const FloatVec normed = hn::Mul(hn::Sub(load_some(d, x + i, count), means), inverses);
      const FloatVec gain = load_some(d, rows.gain + i, count);
      store_some(hn::MulAdd(normed, gain, load_some(d, rows.bias + i, count)), d, y + i, count);
    });
    moments.mean[r] = mean;
    moments.inverse_deviation[r] = inverse;
  }
}

// With n = (x − mean)/σ and g = incoming · gain:  dx = (g − mean(g) − n · mean(g·n)) / σ
void layer_norm_backward(const LayerNormRows& rows, const RowMoments& moments,
                         const float* incoming, const LayerNormGradients& gradients) {
  const FloatTag d;
  const size_t width = rows.width;
  const float share = 1.0f / static_cast<float>(width);
  for (size_t r = 0; r < rows.rows; ++r) {
    const float* x = rows.x + r * width;
    const float* dy = incoming + r * width;
    float* dx = gradients.x + r * width;
    const FloatVec mean = hn::Set(d, moments.mean[r]);
    const FloatVec inverse = hn::Set(d, moments.inverse_deviation[r]);
    FloatVec sum_g = hn::Zero(d), sum_gn = hn::Zero(d);
    for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
      const FloatVec normed = hn::Mul(hn::Sub(load_some(d, x + i, count), mean), inverse);
      const FloatVec in = load_some(d, dy + i, count);  // 0 beyond the row, so g is 0 there too.
      const FloatVec g = hn::Mul(in, load_some(d, rows.gain + i, count));
      sum_g = hn::Add(sum_g, g);
      sum_gn = hn::MulAdd(g, normed, sum_gn);
      const FloatVec dgain = load_some(d, gradients.gain + i, count);
      const FloatVec dbias = load_some(d, gradients.bias + i, count);
      store_some(hn::MulAdd(in, normed, dgain), d, gradients.gain + i, count);
      store_some(hn::Add(in, dbias), d, gradients.bias + i, count);
    });
    const FloatVec mean_g = hn::Set(d, share * sum_of_lanes(d, sum_g));
    const FloatVec mean_gn = hn::Set(d, share * sum_of_lanes(d, sum_gn));
    for_each_vector(width, [&](size_t i, size_t count) HWY_ATTR {
      const FloatVec normed = hn::Mul(hn::Sub(load_some(d, x + i, count), mean), inverse);
      const FloatVec g = hn::Mul(load_some(d, dy + i, count), load_some(d, rows.gain + i, count));
      const FloatVec inner = hn::NegMulAdd(normed, mean_gn, hn::Sub(g, mean_g));
      store_some(hn::Mul(inner, inverse), d, dx + i, count);
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(layer_norm);
void layer_norm(const LayerNormRows& rows, float* out, const RowMoments& moments) noexcept {
  EATT_DISPATCH(layer_norm)(rows, out, moments);
}

HWY_EXPORT(layer_norm_backward);
void layer_norm_backward(const LayerNormRows& rows, const RowMoments& moments,
                         const float* incoming, const LayerNormGradients& gradients) noexcept {
  EATT_DISPATCH(layer_norm_backward)(rows, moments, incoming, gradients);
}

}  // namespace eatt::kernels
#endif
