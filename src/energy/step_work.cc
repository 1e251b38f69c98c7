#include "energy/step_work.h"

namespace eatt::energy {
namespace {

using enum Operation;
using enum Number;
using enum Data;

constexpr uint64_t kFloatBytes = 4;
constexpr uint64_t kHalfBytes = 2;
constexpr uint64_t kWholeBytes = 2;  // Sums of selected rows.
constexpr uint64_t kInt8Bytes = 1;

uint64_t code_bytes(uint64_t width) { return (width + 7) / 8; }

void count(Work& work, Operation operation, Number number, uint64_t times) {
  work.operations.at(operation, number) += times;
}

void reads(Work& work, Data data, uint64_t bytes) { work.moved(data).read += bytes; }
void writes(Work& work, Data data, uint64_t bytes) { work.moved(data).written += bytes; }

}  // namespace

StepWork::StepWork(const Architecture& architecture, Precision precision)
    : precision_(precision),
      learned_threshold_(architecture.threshold.learned),
      d_(static_cast<uint64_t>(architecture.model_dim)),
      q_(static_cast<uint64_t>(architecture.qk_dim)),
      v_(static_cast<uint64_t>(architecture.attention_dim)),
      heads_(static_cast<uint64_t>(architecture.heads)) {}

bool StepWork::has_whole_keys(Mechanism mechanism) const {
  return is_int8() && mechanism == Mechanism::eatt;
}

uint64_t StepWork::product_bytes(uint64_t in, uint64_t out, bool has_bias) const {
  const uint64_t bias = has_bias ? out * kFloatBytes : 0;
  return is_int8() ? in * out * kInt8Bytes + out * kFloatBytes + bias
                   : in * out * kFloatBytes + bias;
}

uint64_t StepWork::selection_bytes() const {
  return is_int8() ? 2 * (d_ * q_ * kInt8Bytes + q_ * kWholeBytes) + heads_ * kFloatBytes
                   : 2 * (d_ + 1) * q_ * kFloatBytes;
}

uint64_t StepWork::kept_key_bytes(Mechanism mechanism) const {
  if (!has_queries_and_keys(mechanism)) return 0;
  return q_ * (is_int8() ? has_whole_keys(mechanism) ? kWholeBytes : kHalfBytes : kFloatBytes);
}

uint64_t StepWork::kept_value_bytes() const { return v_ * (is_int8() ? kHalfBytes : kFloatBytes); }

uint64_t StepWork::input_bytes(uint64_t width) const {
  return is_int8() ? width * kInt8Bytes + kFloatBytes : width * kFloatBytes;
}

Work StepWork::embedding(const Rows& rows) const {
  const uint64_t numbers = rows.rows * d_;
  Work work;
  if (is_int8()) {
    count(work, shift, fp32, numbers);
    count(work, mul, fp32, rows.rows);  // The scale times √d.
  }
  count(work, mul, fp32, numbers);
  count(work, add, fp32, numbers);
  reads(work, weights, rows.rows * input_bytes(d_));  // Its row (int8: and its scale),
  reads(work, weights, numbers * kFloatBytes);        // and its position's.
  writes(work, activations, numbers * kFloatBytes);
  return work;
}

Work StepWork::norm(const Rows& rows) const {
  Work work;
  count(work, add, fp32, rows.rows * (4 * d_ + 1));
  count(work, mul, fp32, rows.rows * (3 * d_ + 2));
  count(work, div, fp32, rows.rows * 2);
  reads(work, activations, rows.rows * d_ * kFloatBytes);
  reads(work, weights, rows.passes * 2 * d_ * kFloatBytes);
  writes(work, activations, rows.rows * d_ * kFloatBytes);
  return work;
}

Work StepWork::residual(const Rows& rows) const {
  const uint64_t numbers = rows.rows * d_;
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
  count(work, compare, fp32, rows.rows * d_);
  reads(work, activations, rows.rows * d_ * kFloatBytes);
  reads(work, weights, rows.passes * (learned_threshold_ ? d_ : 1) * kFloatBytes);
  writes(work, activations, rows.rows * code_bytes(d_));
  return work;
}

Work StepWork::rounding(const Rows& rows, uint64_t width) const {
  Work work;
  if (!is_int8()) return work;
  const uint64_t numbers = rows.rows * width;
  count(work, compare, fp32, numbers);
  count(work, div, fp32, 2 * rows.rows);
  count(work, mul, fp32, numbers);
  count(work, shift, int8, numbers);
  reads(work, activations, numbers * kFloatBytes);
  writes(work, activations, rows.rows * input_bytes(width));
  return work;
}

// Of `inputs` numbers times weights, summed to `outputs`.
Work StepWork::product_operations(uint64_t inputs, uint64_t outputs, bool has_bias) const {
  Work work;
  if (!is_int8()) {
    count(work, mul, fp32, inputs);
    count(work, add, fp32, inputs);  // The bias is where sums start.
    return work;
  }
  count(work, mul, int8, inputs);
  count(work, add, int32, inputs);
  count(work, shift, fp32, outputs);
  count(work, mul, fp32, 2 * outputs);
  if (has_bias) count(work, add, fp32, outputs);
  return work;
}

Work StepWork::product(const Rows& rows, uint64_t in, uint64_t out, bool has_bias) const {
  Work work = product_operations(rows.rows * in * out, rows.rows * out, has_bias);
  reads(work, activations, rows.rows * input_bytes(in));
  reads(work, weights, rows.passes * product_bytes(in, out, has_bias));
  writes(work, activations, rows.rows * out * kFloatBytes);
  return work;
}

// From activations to caches, in whatever kind these have.
void StepWork::keep(uint64_t numbers, Work& work) const {
  if (is_int8()) count(work, shift, fp16, numbers);
  work.moved(activations).written -= numbers * kFloatBytes;
  writes(work, caches, numbers * (is_int8() ? kHalfBytes : kFloatBytes));
}

Work StepWork::kept_product(const Rows& rows, uint64_t out) const {
  Work work = product(rows, d_, out, /*has_bias=*/true);
  keep(rows.rows * out, work);
  return work;
}

Work StepWork::selection(Mechanism mechanism, const Rows& rows, const CodeActivity& codes,
                         bool kept) const {
  const uint64_t numbers = rows.rows * q_;
  const uint64_t weight_bytes = is_int8() ? kInt8Bytes : kFloatBytes;
  const uint64_t sum_bytes = is_int8() ? kWholeBytes : kFloatBytes;
  Work work;
  count(work, add, is_int8() ? int16 : fp32, codes.ones * q_);
  reads(work, activations, rows.rows * code_bytes(d_));
  reads(work, weights, codes.distinct * q_ * weight_bytes + rows.passes * q_ * sum_bytes);
  if (is_int8() && mechanism == Mechanism::selection) {
    writes(work, activations, numbers * sum_bytes);
    return work += whole_to_floating(rows, kept);
  }
  writes(work, kept ? caches : activations, numbers * sum_bytes);
  return work;
}

Work StepWork::whole_to_floating(const Rows& rows, bool kept) const {
  const uint64_t numbers = rows.rows * q_;
  Work work;
  count(work, shift, fp32, numbers);
  count(work, mul, fp32, numbers);
  reads(work, activations, numbers * kWholeBytes);
  reads(work, weights, rows.passes * heads_ * kFloatBytes);
  writes(work, activations, numbers * kFloatBytes);
  if (kept) keep(numbers, work);
  return work;
}

Work StepWork::scores(Mechanism mechanism, const Attending& attending) const {
  const auto& [rows, pairs, rows_read, kept] = attending;
  const uint64_t elements = pairs * q_;
  Work work;
  writes(work, activations, pairs * heads_ * kFloatBytes);
  if (mechanism == Mechanism::randinit) {
    reads(work, weights, pairs * heads_ * kFloatBytes);
    return work;
  }
  const uint64_t query_bytes = has_whole_keys(mechanism) ? kWholeBytes : kFloatBytes;
  reads(work, activations, rows.rows * q_ * query_bytes);
  if (mechanism == Mechanism::dense) {
    reads(work, weights, rows_read * q_ * kFloatBytes);
  } else if (kept) {
    reads(work, caches, rows_read * kept_key_bytes(mechanism));
  } else {
    reads(work, activations, rows_read * q_ * query_bytes);
  }
  if (has_whole_keys(mechanism)) {
    count(work, add, int16, elements);
    count(work, add, int32, elements);
    count(work, shift, fp32, pairs * heads_);
    count(work, mul, fp32, pairs * heads_);
    reads(work, weights, rows.passes * heads_ * kFloatBytes);
    return work;
  }
  if (is_int8() && kept && mechanism != Mechanism::dense) count(work, shift, fp32, elements);
  const bool distances = scores_by_distance(mechanism);
  count(work, add, fp32, distances ? 2 * elements : elements);
  if (!distances) count(work, mul, fp32, elements);
  return work;
}

Work StepWork::context(const Attending& attending) const {
  const auto& [rows, pairs, rows_read, kept] = attending;
  const uint64_t scored = pairs * heads_;
  Work work;
  count(work, compare, fp32, scored);
  count(work, add, fp32, 2 * scored);  // Less the maximum; the sum.
  count(work, exp, fp32, scored);
  count(work, div, fp32, rows.rows * heads_);
  count(work, mul, fp32, scored);
  count(work, mul, fp32, pairs * v_);
  count(work, add, fp32, pairs * v_);
  if (is_int8() && kept) count(work, shift, fp32, pairs * v_);
  reads(work, activations, scored * kFloatBytes);
  if (kept) {
    reads(work, caches, rows_read * kept_value_bytes());
  } else {
    reads(work, activations, rows_read * v_ * kFloatBytes);
  }
  writes(work, activations, rows.rows * v_ * kFloatBytes);
  return work;
}

Work StepWork::vocabulary(const Rows& rows, uint64_t columns, uint64_t distinct) const {
  Work work = product_operations(columns * d_, columns, /*has_bias=*/false);
  reads(work, activations, rows.rows * input_bytes(d_));
  reads(work, weights, product_bytes(d_, distinct, /*has_bias=*/false));
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
