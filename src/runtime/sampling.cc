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

}  // namespace

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

size_t Sampler::draw_from_best(double uniform) const {
  const auto weight = [&](size_t i) {
    return std::exp(static_cast<double>(best_[i].value) - static_cast<double>(best_[0].value));
  };
  double total = 0;
  for (size_t i = 0; i < best_.size(); ++i) total += weight(i);
  return static_cast<size_t>(best_[where_sum_exceeds(uniform * total, best_.size(), weight)].index);
}

size_t Sampler::take_best(std::span<const float> logits, size_t count) {
  best_.resize(std::min(count, logits.size()));
  best_.resize(kernels::top_values(logits.data(), logits.size(), best_.size(), best_.data()));
  return best_.size();
}

// The k best, and of them the fewest that reach top_p of their sum.
void Sampler::keep_top_k(std::span<const float> logits) {
  take_best(logits, top_k_);
  const auto weight = [&](size_t i) {
    return std::exp(static_cast<double>(best_[i].value) - static_cast<double>(best_[0].value));
  };
  double total = 0;
  for (size_t i = 0; i < best_.size(); ++i) total += weight(i);
  double sum = 0;
  size_t kept = 0;
  while (kept < best_.size() && sum < top_p_ * total) sum += weight(kept++);
  best_.resize(std::max<size_t>(1, kept));
}

// The fewest that reach top_p of all. Most often a few hundred pieces do.
void Sampler::keep_nucleus(std::span<const float> logits) {
  float log_total = 0;
  kernels::log_sum_exp_rows(logits.data(), 1, logits.size(), &log_total);
  for (size_t count = 64;; count *= 8) {
    const size_t found = take_best(logits, count);
    double sum = 0;
    size_t kept = 0;
    while (kept < found && sum < top_p_) {
      sum += std::exp(static_cast<double>(best_[kept++].value) - static_cast<double>(log_total));
    }
    if (sum < top_p_ && count < logits.size()) continue;
    best_.resize(kept);
    return;
  }
}

double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step) {
  const uint64_t of_sentence = Random::stream(seed, sentence).next();
  const uint64_t of_hypothesis = Random::stream(of_sentence, hypothesis).next();
  return Random::stream(of_hypothesis, step).uniform();
}

}  // namespace eatt
