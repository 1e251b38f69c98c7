#include "energy/step_work.h"

#include <algorithm>
#include <bit>

namespace eatt::energy {
namespace {

using enum Operation;
using enum Number;
using enum Data;

constexpr uint64_t kFloatBytes = bytes_of(fp32);
constexpr uint64_t kSumBytes = bytes_of(int16);  // Sums of selected rows.

// A binary code takes a bit; a signed code has 2·levels + 1 values.
uint64_t code_bytes(uint64_t width, uint64_t levels) {
  const uint64_t bits = levels == 0 ? 1 : std::bit_width(2 * levels);
  return (width * bits + 7) / 8;
}

void count(Work& work, Operation operation, Number number, uint64_t times) {
  work.operations.at(operation, number) += times;
}

void reads(Work& work, Data data, uint64_t bytes) { work.moved(data).read += bytes; }
void writes(Work& work, Data data, uint64_t bytes) { work.moved(data).written += bytes; }

}  // namespace

StepWork::StepWork(const Architecture& architecture, Precision precision, DotScores dot_scores)
    : precision_(precision),
      dot_scores_(dot_scores),
      learned_threshold_(architecture.threshold.learned),
      code_levels_(architecture.code_levels),
      model_dim_(architecture.model_dim),
      qk_dim_(architecture.qk_dim),
      value_dim_(architecture.attention_dim),
      heads_(architecture.heads) {}

bool StepWork::has_integer_keys(Mechanism mechanism) const {
  return is_int8() && has_integer_scores(mechanism);
}

bool StepWork::has_rounded_keys(Mechanism mechanism) const {
  return is_int8() && dot_scores_ == DotScores::integer && has_queries_and_keys(mechanism) &&
         !binarises(mechanism) && !scores_by_distance(mechanism);
}

uint64_t StepWork::product_bytes(uint64_t in, uint64_t out, bool has_bias) const {
  const uint64_t bias = has_bias ? out * kFloatBytes : 0;
  return is_int8() ? in * out * bytes_of(int8) + out * kFloatBytes + bias
                   : in * out * kFloatBytes + bias;
}

uint64_t StepWork::selection_bytes() const {
  return is_int8() ? 2 * (model_dim_ * qk_dim_ * bytes_of(int8) + qk_dim_ * kSumBytes) +
                         heads_ * kFloatBytes
                   : 2 * (model_dim_ + 1) * qk_dim_ * kFloatBytes;
}

uint64_t StepWork::key_bytes(Mechanism mechanism, Data where) const {
  if (!has_queries_and_keys(mechanism)) return 0;
  if (has_integer_keys(mechanism)) return qk_dim_ * kSumBytes;
  if (has_rounded_keys(mechanism)) return input_bytes(qk_dim_);
  return qk_dim_ * bytes_of(where == caches ? kept_number() : fp32);
}

uint64_t StepWork::value_bytes(Data where) const {
  return value_dim_ * bytes_of(where == caches ? kept_number() : fp32);
}

uint64_t StepWork::query_bytes(Mechanism mechanism) const {
  if (has_rounded_keys(mechanism)) return input_bytes(qk_dim_);
  return qk_dim_ * (has_integer_keys(mechanism) ? kSumBytes : kFloatBytes);
}

uint64_t StepWork::input_bytes(uint64_t width) const {
  return is_int8() ? width * bytes_of(int8) + kFloatBytes : width * kFloatBytes;
}

Work StepWork::embedding(const Rows& rows) const {
  const uint64_t numbers = rows.rows * model_dim_;
  Work work;
  if (is_int8()) {
    count(work, shift, fp32, numbers);
    count(work, mul, fp32, rows.rows);  // The scale times √d.
  }
  count(work, mul, fp32, numbers);
  count(work, add, fp32, numbers);
  reads(work, weights, rows.rows * input_bytes(model_dim_));  // Its row (int8: and its scale),
  reads(work, weights, numbers * kFloatBytes);                // and its position's.
  writes(work, activations, numbers * kFloatBytes);
  return work;
}

Work StepWork::norm(const Rows& rows) const {
  Work work;
  count(work, add, fp32, rows.rows * (4 * model_dim_ + 1));
  count(work, mul, fp32, rows.rows * (3 * model_dim_ + 2));
  count(work, div, fp32, rows.rows * 2);
  reads(work, activations, rows.rows * model_dim_ * kFloatBytes);
  reads(work, weights, rows.passes * 2 * model_dim_ * kFloatBytes);
  writes(work, activations, rows.rows * model_dim_ * kFloatBytes);
  return work;
}

Work StepWork::residual(const Rows& rows) const {
  const uint64_t numbers = rows.rows * model_dim_;
  Work work;
  count(work, add, fp32, numbers);
  reads(work, activations, 2 * numbers * kFloatBytes);
  writes(work, activations, numbers * kFloatBytes);
  return work;
}

Work StepWork::relu(const Rows& rows, uint64_t width) const {
  Work work;
  count(work, compare, fp32, rows.rows * width);
  return work;
}

Work StepWork::threshold(const Rows& rows) const {
  Work work;
  // Signed codes: successive approximation, a comparison for each binary digit.
  const uint64_t comparisons = std::max<uint64_t>(code_digits(), 1);
  count(work, compare, fp32, rows.rows * model_dim_ * comparisons);
  reads(work, activations, rows.rows * model_dim_ * kFloatBytes);
  reads(work, weights, rows.passes * (learned_threshold_ ? model_dim_ : 1) * kFloatBytes);
  writes(work, activations, rows.rows * code_bytes(model_dim_, code_levels_));
  return work;
}

Work StepWork::rounding(const Rows& rows, uint64_t width, Data to) const {
  Work work;
  if (!is_int8()) return work;
  const uint64_t numbers = rows.rows * width;
  count(work, compare, fp32, numbers);
  count(work, div, fp32, 2 * rows.rows);
  count(work, mul, fp32, numbers);
  count(work, shift, int8, numbers);
  reads(work, activations, numbers * kFloatBytes);
  writes(work, to, rows.rows * input_bytes(width));
  return work;
}

// Of so many terms, summed to `outputs`.
Work StepWork::product_operations(uint64_t terms, uint64_t outputs, bool has_bias) const {
  Work work;
  if (!is_int8()) {
    count(work, mul, fp32, terms);
    count(work, add, fp32, terms);  // The bias is where sums start.
    return work;
  }
  count(work, mul, int8, terms);
  count(work, add, int32, terms);
  count(work, shift, fp32, outputs);
  count(work, mul, fp32, 2 * outputs);
  if (has_bias) count(work, add, fp32, outputs);
  return work;
}

// Results of fp32 that are the keys or values of an attention.
void StepWork::write_floats(uint64_t numbers, Data to, Work& work) const {
  if (to == caches && is_int8()) count(work, shift, kept_number(), numbers);
  writes(work, to, numbers * bytes_of(to == caches ? kept_number() : fp32));
}

Work StepWork::product(const Rows& rows, uint64_t in, uint64_t out, bool has_bias, Data to) const {
  Work work = product_operations(rows.rows * in * out, rows.rows * out, has_bias);
  reads(work, activations, rows.rows * input_bytes(in));
  reads(work, weights, rows.passes * product_bytes(in, out, has_bias));
  write_floats(rows.rows * out, to, work);
  return work;
}

Work StepWork::queries(Mechanism mechanism, const Rows& rows) const {
  Work work = product(rows, model_dim_, qk_dim_, /*has_bias=*/true);
  if (has_rounded_keys(mechanism)) work += rounding(rows, qk_dim_);
  return work;
}

Work StepWork::keys(Mechanism mechanism, const Rows& rows, Data to) const {
  if (!has_rounded_keys(mechanism)) return product(rows, model_dim_, qk_dim_, true, to);
  Work work = product(rows, model_dim_, qk_dim_, /*has_bias=*/true);
  return work += rounding(rows, qk_dim_, to);
}

Work StepWork::values(const Rows& rows, Data to) const {
  return product(rows, model_dim_, value_dim_, /*has_bias=*/true, to);
}

Work StepWork::selection(Mechanism mechanism, const Rows& rows, const CodeActivity& codes,
                         Data to) const {
  const uint64_t numbers = rows.rows * qk_dim_;
  const uint64_t sum_bytes = is_int8() ? kSumBytes : kFloatBytes;
  Work work;
  // Sums of several digits are doubled after each but the last, and get the bias at the end.
  const uint64_t joins = code_digits() > 1 ? rows.rows * code_digits() : 0;
  count(work, add, is_int8() ? int16 : fp32, (codes.ones + joins) * qk_dim_);
  reads(work, activations, rows.rows * code_bytes(model_dim_, code_levels_));
  reads(work, weights,
        codes.distinct * qk_dim_ * bytes_of(is_int8() ? int8 : fp32) +
            rows.passes * qk_dim_ * sum_bytes);
  if (is_int8() && !has_integer_keys(mechanism)) {
    writes(work, activations, numbers * sum_bytes);
    return work += integer_to_floating(rows, to);
  }
  writes(work, to, numbers * sum_bytes);
  return work;
}

Work StepWork::integer_to_floating(const Rows& rows, Data to) const {
  const uint64_t numbers = rows.rows * qk_dim_;
  Work work;
  count(work, shift, fp32, numbers);
  count(work, mul, fp32, numbers);
  reads(work, activations, numbers * kSumBytes);
  reads(work, weights, rows.passes * heads_ * kFloatBytes);
  write_floats(numbers, to, work);
  return work;
}

Work StepWork::scores(Mechanism mechanism, const Attending& attending) const {
  const auto& [rows, pairs, rows_read, from] = attending;
  const uint64_t elements = pairs * qk_dim_, scored = pairs * heads_;
  Work work;
  writes(work, activations, scored * kFloatBytes);
  if (!has_queries(mechanism)) {
    reads(work, weights, scored * kFloatBytes);
    return work;
  }
  reads(work, activations, rows.rows * query_bytes(mechanism));
  if (has_queries_and_keys(mechanism)) {
    reads(work, from, rows_read * key_bytes(mechanism, from));
  } else {
    reads(work, weights, rows_read * qk_dim_ * kFloatBytes);
  }
  if (has_integer_keys(mechanism)) {
    count(work, add, int16, elements);
    count(work, add, int32, elements);
    count(work, shift, fp32, scored);
    count(work, mul, fp32, scored);
    reads(work, weights, rows.passes * heads_ * kFloatBytes);
  } else if (has_rounded_keys(mechanism)) {
    work += product_operations(elements, scored, /*has_bias=*/false);
  } else {
    const bool from_halves = is_int8() && from == caches && has_queries_and_keys(mechanism);
    if (from_halves) count(work, shift, fp32, elements);
    const bool distances = scores_by_distance(mechanism);
    count(work, add, fp32, distances ? 2 * elements : elements);
    if (!distances) count(work, mul, fp32, elements);
  }
  return work;
}

Work StepWork::context(const Attending& attending) const {
  const auto& [rows, pairs, rows_read, from] = attending;
  const uint64_t scored = pairs * heads_;
  Work work;
  count(work, compare, fp32, scored);
  count(work, add, fp32, 2 * scored);  // Less the maximum; the sum.
  count(work, exp, fp32, scored);
  count(work, div, fp32, rows.rows * heads_);
  count(work, mul, fp32, scored);
  count(work, mul, fp32, pairs * value_dim_);
  count(work, add, fp32, pairs * value_dim_);
  if (is_int8() && from == caches) count(work, shift, fp32, pairs * value_dim_);
  reads(work, activations, scored * kFloatBytes);
  reads(work, from, rows_read * value_bytes(from));
  writes(work, activations, rows.rows * value_dim_ * kFloatBytes);
  return work;
}

Work StepWork::vocabulary(const Rows& rows, uint64_t columns, uint64_t distinct) const {
  Work work = product_operations(columns * model_dim_, columns, /*has_bias=*/false);
  reads(work, activations, rows.rows * input_bytes(model_dim_));
  reads(work, weights, product_bytes(model_dim_, distinct, /*has_bias=*/false));
  writes(work, activations, columns * kFloatBytes);
  return work;
}

Work StepWork::search(const SearchActivity& search) {
  Work work;
  count(work, compare, fp32, search.columns + search.comparisons);
  count(work, add, fp32, 2 * search.columns + search.rows + 2 * search.candidates);
  count(work, exp, fp32, search.columns + search.rows);
  if (search.divides) count(work, div, fp32, search.ended);
  if (search.weighs_words) {
    count(work, mul, fp32, search.ended);
    count(work, add, fp32, search.ended);
  }
  reads(work, activations, search.columns * kFloatBytes);
  return work;
}

}  // namespace eatt::energy
