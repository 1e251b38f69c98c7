#include "runtime/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "kernels/softmax_rows.h"

namespace eatt {
namespace {

// The first index at which the running sum of weights goes beyond `target`, which is below their
// sum but for rounding: then the last one that weighs something.
template <class Weight>
size_t where_sum_exceeds(double target, size_t size, const Weight& weight) {
  double sum = 0;
  size_t last = 0;
  for (size_t i = 0; i < size; ++i) {
    const double w = weight(i);
    if (w <= 0) continue;
    sum += w;
    last = i;
    if (sum > target) break;
  }
  return last;
}

constexpr size_t kFirst = 64;  // Values found by one pass, whose time grows with their square.

// Whether a comes after b: the order of a heap.
bool comes_after(const kernels::TopValue& a, const kernels::TopValue& b) {
  return a.value != b.value ? a.value < b.value : a.index > b.index;
}

}  // namespace

void RankedValues::start(std::span<const float> values) {
  values_ = values;
  given_ = 0;
  first_.resize(std::min(kFirst, values.size()));
  first_.resize(kernels::top_values(values.data(), values.size(), first_.size(), first_.data()));
}

std::optional<kernels::TopValue> RankedValues::next() {
  if (given_ < first_.size()) return first_[given_++];
  if (first_.size() < kFirst) return std::nullopt;
  if (given_++ == kFirst) {
    heap_.clear();
    for (size_t i = 0; i < values_.size(); ++i) {
      const kernels::TopValue value{values_[i], static_cast<int32_t>(i)};
      const bool is_left = comes_after(value, first_.back());
      if (is_left && value.value > -std::numeric_limits<float>::infinity()) heap_.push_back(value);
    }
    std::ranges::make_heap(heap_, comes_after);
  }
  if (heap_.empty()) return std::nullopt;
  std::ranges::pop_heap(heap_, comes_after);
  const kernels::TopValue value = heap_.back();
  heap_.pop_back();
  return value;
}

std::optional<size_t> Sampler::draw(std::span<float> gains, double uniform) {
  const bool any = std::ranges::any_of(
      gains, [](float gain) { return gain > -std::numeric_limits<float>::infinity(); });
  if (!any) return std::nullopt;
  for (float& gain : gains) gain = static_cast<float>(static_cast<double>(gain) / temperature_);
  if (top_k_ == 0 && top_p_ == 1) return draw_from_all(gains, uniform);
  if (top_k_ > 0) {
    keep_top_k(gains);
  } else {
    keep_nucleus(gains);
  }
  return draw_from_best(uniform);
}

size_t Sampler::draw_from_all(std::span<float> logits, double uniform) {
  kernels::softmax_rows(logits.data(), 1, logits.size(), logits.data());
  double total = 0;
  for (const float probability : logits) total += static_cast<double>(probability);
  return where_sum_exceeds(uniform * total, logits.size(),
                           [&](size_t i) { return static_cast<double>(logits[i]); });
}

double Sampler::weight(const kernels::TopValue& value) const {
  return std::exp(static_cast<double>(value.value) - static_cast<double>(best_[0].value));
}

size_t Sampler::draw_from_best(double uniform) const {
  double total = 0;
  for (const auto& value : best_) total += weight(value);
  const size_t drawn =
      where_sum_exceeds(uniform * total, best_.size(), [&](size_t i) { return weight(best_[i]); });
  return static_cast<size_t>(best_[drawn].index);
}

// The k best, and of them the fewest that reach top_p of their sum.
void Sampler::keep_top_k(std::span<const float> logits) {
  best_.clear();
  ranked_.start(logits);
  double total = 0;
  while (best_.size() < top_k_) {
    const auto value = ranked_.next();
    if (!value) break;
    best_.push_back(*value);
    total += weight(*value);
  }
  double sum = 0;
  size_t kept = 0;
  while (kept < best_.size() && sum < top_p_ * total) sum += weight(best_[kept++]);
  best_.resize(kept);
}

// The fewest that reach top_p of all.
void Sampler::keep_nucleus(std::span<const float> logits) {
  float log_total = 0;
  kernels::log_sum_exp_rows(logits.data(), 1, logits.size(), &log_total);
  best_.clear();
  ranked_.start(logits);
  for (double sum = 0; sum < top_p_;) {
    const auto value = ranked_.next();
    if (!value) break;
    best_.push_back(*value);
    sum += std::exp(static_cast<double>(value->value) - static_cast<double>(log_total));
  }
}

double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step) {
  const uint64_t of_sentence = Random::stream(seed, sentence).next();
  const uint64_t of_hypothesis = Random::stream(of_sentence, hypothesis).next();
  return Random::stream(of_hypothesis, step).uniform();
}

}  // namespace eatt
