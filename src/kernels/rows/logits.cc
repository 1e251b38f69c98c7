#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/rows/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows/logits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dispatch.h"
#include "kernels/simd/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Adds Σ exp(x − most) of a part to that of the row.
HWY_INLINE void join_part(float most, float sum, RowSummary& row) {
  const double part = most;
  if (part > row.largest) {
    row.sum = row.sum * std::exp(row.largest - part) + static_cast<double>(sum);
    row.largest = part;
  } else {
    // A part that is all −∞ has nothing to add but NaN.
    row.sum += static_cast<double>(sum) * (sum == 0 ? 0 : std::exp(part - row.largest));
  }
}

void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out) {
  const FloatTag d;
  for (size_t r = 0; r < rows; ++r, x += width) {
    RowSummary row;
    for (size_t begin = 0; begin < width; begin += kRowPart) {
      const size_t size = HWY_MIN(kRowPart, width - begin);
      const float most = row_max(d, x + begin, size);
      join_part(most, sum_of_exp(d, x + begin, size, most), row);
    }
    out[r] = row.log_sum();
  }
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

// The list so far, the largest first.
class TopList {
 public:
  TopList(TopValue* values, size_t capacity, size_t size = 0)
      : values_(values), capacity_(capacity), size_(size) {}

  size_t size() const { return size_; }
  // What a value must exceed to enter the list.
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
  size_t size_;
};

// The maximum of each lane, or `other` where x is NaN.
HWY_INLINE FloatVec larger(FloatVec x, FloatVec other) {
#if HWY_ARCH_X86
  return hn::Max(x, other);  // Max gives the second operand if one is NaN.
#else
  return hn::IfThenElse(hn::Gt(x, other), x, other);
#endif
}

// Inserts the lanes of x that exceed the bar; lane 0 has this index.
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

// Takes from x [size], whose first number has this index.
HWY_INLINE void take_values(const float* x, size_t size, size_t index, TopList& list) {
  const FloatTag d;
  constexpr size_t kVectors = 8;  // Compared together: few contain anything new.
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
      take_from_vector(hn::LoadU(d, x + i + v * kLanes), index + i + v * kLanes, list);
    }
  }
  for_each_vector(size - i, [&](size_t k, size_t lanes) HWY_ATTR {
    take_from_vector(load_or_minus_infinity(d, x + i + k, lanes), index + i + k, list);
  });
}

size_t top_values(const float* x, size_t size, size_t count, TopValue* out) {
  if (count == 0) return 0;
  TopList list(out, count);
  take_values(x, size, 0, list);
  return list.size();
}

// 0, or NaN if x contains it.
HWY_INLINE float nan_in(const float* x, size_t size) {
  const FloatTag d;
  FloatVec found = hn::Zero(d);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    const FloatVec v = load_some(d, x + i, count);
    found = hn::Or(found, hn::IfThenElseZero(hn::IsNaN(v), v));
  });
  return sum_of_lanes(d, found);
}

// The passes over a part that the first of them leaves in the L1 cache. Most parts have nothing
// that is among the best.
HWY_INLINE void add_part(const float* x, size_t column, size_t size, RowSummary& row) {
  const FloatTag d;
  const float most = row_max(d, x, size);
  if (row.sums) {
    join_part(most, sum_of_exp(d, x, size, most), row);
  } else {
    row.sum += static_cast<double>(nan_in(x, size));
    row.largest = HWY_MAX(row.largest, static_cast<double>(most));
  }
  TopList list(row.best, row.capacity, row.found);
  if (row.capacity == 0 || !(most > list.bar())) return;
  const size_t skipped = column < row.first ? HWY_MIN(row.first - column, size) : 0;
  take_values(x + skipped, size - skipped, column + skipped, list);
  row.found = list.size();
}

void add_columns(const float* x, size_t x_stride, size_t column, size_t size, RowSummary* summaries,
                 size_t rows) {
  for (size_t r = 0; r < rows; ++r, x += x_stride) {
    for (size_t begin = 0; begin < size; begin += kRowPart) {
      add_part(x + begin, column + begin, HWY_MIN(kRowPart, size - begin), summaries[r]);
    }
  }
}

// Sums parts in float and their totals in double: a vocabulary has tens of thousands of entries.
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

void scale_row(float* x, size_t size, float factor) {
  const FloatTag d;
  const FloatVec factors = hn::Set(d, factor);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    store_some(hn::Mul(load_some(d, x + i, count), factors), d, x + i, count);
  });
}

// Σ x·y, its parts in float and their totals in double.
HWY_INLINE double dot_of_rows(const float* x, const float* y, size_t size) {
  const FloatTag d;
  constexpr size_t kPart = 64 * kLanes;
  double total = 0;
  for (size_t begin = 0; begin < size; begin += kPart) {
    FloatVec sum = hn::Zero(d);
    for_each_vector(HWY_MIN(kPart, size - begin), [&](size_t i, size_t count) HWY_ATTR {
      sum = hn::MulAdd(load_some(d, x + begin + i, count), load_some(d, y + begin + i, count), sum);
    });
    total += sum_of_lanes(d, sum);
  }
  return total;
}

// log Σ exp(factor · x), factor > 0.
HWY_INLINE float scaled_log_sum_exp(const float* x, size_t size, float factor) {
  const FloatTag d;
  const float most = row_max(d, x, size) * factor;
  const FloatVec shift = hn::Set(d, -most), factors = hn::Set(d, factor);
  FloatVec sum = hn::Zero(d);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    const FloatVec value = load_or_minus_infinity(d, x + i, count);
    sum = hn::Add(sum, exp_of(d, hn::MulAdd(value, factors, shift)));
  });
  return static_cast<float>(most + std::log(static_cast<double>(sum_of_lanes(d, sum))));
}

// taught = factor · (softmax(x / temperature) − taught); the softmax is known by its log-sum.
HWY_INLINE void taught_gradient(const float* x, size_t size, float inverse_temperature,
                                float log_sum, float factor, float* taught) {
  const FloatTag d;
  const FloatVec scale = hn::Set(d, inverse_temperature), shift = hn::Set(d, -log_sum);
  const FloatVec factors = hn::Set(d, factor);
  for_each_vector(size, [&](size_t i, size_t count) HWY_ATTR {
    const FloatVec found = exp_of(d, hn::MulAdd(load_some(d, x + i, count), scale, shift));
    const FloatVec wanted = load_some(d, taught + i, count);
    store_some(hn::Mul(factors, hn::Sub(found, wanted)), d, taught + i, count);
  });
}

void taught_cross_entropy(const LabelledLogits& rows, const Teaching& teaching, float* logits,
                          float* taught, RowLoss* losses) {
  const FloatTag d;
  const double weight = teaching.weight, temperature = teaching.temperature;
  const auto inverse = static_cast<float>(1 / temperature);
  for (size_t r = 0; r < rows.rows; ++r) {
    float *x = logits + r * rows.vocab, *t = taught + r * rows.vocab;
    const LabelledLogits row = {x, rows.labels + r, 1, rows.vocab, rows.smoothing};
    float log_sum = 0;
    HWY_NAMESPACE::smoothed_cross_entropy(row, &losses[r], &log_sum);
    if (inverse != 1) scale_row(t, rows.vocab, inverse);
    softmax_row(t, rows.vocab, t);
    const float at_temperature =
        inverse == 1 ? log_sum : scaled_log_sum_exp(x, rows.vocab, inverse);
    const double distance = at_temperature - dot_of_rows(x, t, rows.vocab) / temperature;
    losses[r].smoothed =
        (1 - weight) * losses[r].smoothed + weight * temperature * temperature * distance;
    taught_gradient(x, rows.vocab, inverse, at_temperature,
                    static_cast<float>(weight * temperature), t);
    HWY_NAMESPACE::smoothed_cross_entropy_backward(row, &log_sum, static_cast<float>(1 - weight),
                                                   x);
    for_each_vector(rows.vocab, [&](size_t i, size_t count) HWY_ATTR {
      store_some(hn::Add(load_some(d, x + i, count), load_some(d, t + i, count)), d, x + i, count);
    });
  }
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {

float RowSummary::log_sum() const {
  if (!sums) return static_cast<float>(largest + sum);
  if (sum == 0) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(largest + std::log(sum));
}

HWY_EXPORT(log_sum_exp_rows);
void log_sum_exp_rows(const float* x, size_t rows, size_t width, float* out) noexcept {
  EATT_DISPATCH(log_sum_exp_rows)(x, rows, width, out);
}

HWY_EXPORT(softmax_rows);
void softmax_rows(const float* x, size_t rows, size_t width, float* out) noexcept {
  EATT_DISPATCH(softmax_rows)(x, rows, width, out);
}

HWY_EXPORT(top_values);

size_t top_values(const float* x, size_t size, size_t count, TopValue* out) noexcept {
  return EATT_DISPATCH(top_values)(x, size, count, out);
}

HWY_EXPORT(add_columns);
void add_columns(const float* x, size_t x_stride, size_t column, size_t size, RowSummary* summaries,
                 size_t rows) noexcept {
  EATT_DISPATCH(add_columns)(x, x_stride, column, size, summaries, rows);
}

HWY_EXPORT(smoothed_cross_entropy);
void smoothed_cross_entropy(const LabelledLogits& rows, RowLoss* losses, float* log_sums) noexcept {
  EATT_DISPATCH(smoothed_cross_entropy)(rows, losses, log_sums);
}

HWY_EXPORT(smoothed_cross_entropy_backward);
void smoothed_cross_entropy_backward(const LabelledLogits& rows, const float* log_sums, float scale,
                                     float* gradient) noexcept {
  EATT_DISPATCH(smoothed_cross_entropy_backward)(rows, log_sums, scale, gradient);
}

HWY_EXPORT(taught_cross_entropy);
void taught_cross_entropy(const LabelledLogits& rows, const Teaching& teaching, float* logits,
                          float* taught, RowLoss* losses) noexcept {
  EATT_DISPATCH(taught_cross_entropy)(rows, teaching, logits, taught, losses);
}

}  // namespace eatt::kernels
#endif
