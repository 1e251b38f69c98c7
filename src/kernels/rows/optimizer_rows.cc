#include "kernels/rows/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/optimizer_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using DoubleTag = hn::ScalableTag<double>;
using DoubleVec = hn::Vec<DoubleTag>;
using HalfTag = hn::Rebind<float, DoubleTag>;  // As many floats as a vector has doubles.
inline constexpr size_t kDoubleLanes = HWY_LANES(double);

// sum + x², in double.
HWY_INLINE DoubleVec add_square(DoubleVec sum, hn::Vec<HalfTag> x) {
  const DoubleVec wide = hn::PromoteTo(DoubleTag(), x);
  return hn::MulAdd(wide, wide, sum);
}

HWY_INLINE double sum_of_doubles(const DoubleVec (&sums)[4]) {
  const DoubleVec all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(DoubleTag(), all));
}

// Sum of the squares of what vector_at(i) and number_at(i) return; each is called once, in order.
// Four sums in parallel: a single one would be limited by the latency of additions.
template <class VectorAt, class NumberAt>
HWY_INLINE double sum_of_squares(size_t size, const VectorAt& vector_at,
                                 const NumberAt& number_at) {
  DoubleVec sums[4];
  for (DoubleVec& sum : sums) sum = hn::Zero(DoubleTag());
  size_t i = 0;
  for (; i + 4 * kDoubleLanes <= size; i += 4 * kDoubleLanes) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) sums[j] = add_square(sums[j], vector_at(i + j * kDoubleLanes));
  }
  double total = sum_of_doubles(sums);
  for (; i < size; ++i) {
    const auto number = static_cast<double>(number_at(i));
    total += number * number;
  }
  return total;
}

double squared_norm(const float* x, size_t size) {
  const HalfTag d;
  return sum_of_squares(
      size, [&](size_t i) HWY_ATTR { return hn::LoadU(d, x + i); },
      [&](size_t i) HWY_ATTR { return x[i]; });
}

double add_row(const float* from, size_t size, float* to) {
  const HalfTag d;
  return sum_of_squares(
      size,
      [&](size_t i) HWY_ATTR {
        const auto added = hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i));
        hn::StoreU(added, d, to + i);
        return added;
      },
      [&](size_t i) HWY_ATTR { return to[i] += from[i]; });
}

void adam_update(const AdamNumbers& n, const float* gradients, size_t size, const AdamRows& rows) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, n.gradient_scale);
  const FloatVec keep1 = hn::Set(d, n.keep1), new1 = hn::Set(d, n.new1);
  const FloatVec keep2 = hn::Set(d, n.keep2), new2 = hn::Set(d, n.new2);
  const FloatVec epsilon = hn::Set(d, n.epsilon), step_size = hn::Set(d, n.step_size);
  const FloatVec inverse_root = hn::Set(d, n.inverse_root);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    const FloatVec g = hn::Mul(load_some(d, gradients + i, count), scale);
    const FloatVec m =
        hn::MulAdd(load_some(d, rows.first_moment + i, count), keep1, hn::Mul(g, new1));
    const FloatVec v = hn::MulAdd(load_some(d, rows.second_moment + i, count), keep2,
                                  hn::Mul(hn::Mul(g, g), new2));
    const FloatVec divisor = hn::MulAdd(hn::Sqrt(v), inverse_root, epsilon);
    const FloatVec change = hn::Div(hn::Mul(m, step_size), divisor);
    store_some(m, d, rows.first_moment + i, count);
    store_some(v, d, rows.second_moment + i, count);
    store_some(hn::Sub(load_some(d, rows.values + i, count), change), d, rows.values + i, count);
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

HWY_EXPORT(squared_norm);
double squared_norm(const float* x, size_t size) noexcept {
  return EATT_DISPATCH(squared_norm)(x, size);
}

HWY_EXPORT(add_row);
double add_row(const float* from, size_t size, float* to) noexcept {
  return EATT_DISPATCH(add_row)(from, size, to);
}

HWY_EXPORT(adam_update);
void adam_update(const AdamNumbers& numbers, const float* gradients, size_t size,
                 const AdamRows& rows) noexcept {
  EATT_DISPATCH(adam_update)(numbers, gradients, size, rows);
}

}  // namespace eatt::kernels
#endif
