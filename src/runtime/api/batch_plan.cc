#include "runtime/api/batch_plan.h"

#include <algorithm>

namespace eatt {
namespace {

std::vector<size_t> longest_first(std::span<const size_t> lengths) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

size_t most_sentences(size_t all, const BatchLimits& limits) {
  const size_t workers = std::max<size_t>(limits.workers, 1);
  const size_t fair_share = (all + workers - 1) / workers;
  return std::max<size_t>(1, std::min(limits.sentences, fair_share));
}

}  // namespace

std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits) {
  const std::vector<size_t> order = longest_first(lengths);
  const size_t most = most_sentences(order.size(), limits);
  std::vector<std::vector<size_t>> batches;
  size_t words = 0;
  for (const size_t i : order) {
    if (batches.empty() || batches.back().size() == most || words + lengths[i] > limits.words) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(i);
    words += lengths[i];
  }
  return batches;
}

SentenceFeed::SentenceFeed(std::span<const size_t> lengths, const BatchLimits& limits)
    : lengths_(lengths),
      order_(longest_first(lengths)),
      most_(most_sentences(order_.size(), limits)),
      most_words_(limits.words) {}

std::optional<size_t> SentenceFeed::take(size_t sentences, size_t pieces) {
  const std::lock_guard lock(mutex_);
  if (next_ == order_.size()) return std::nullopt;
  const size_t sentence = order_[next_];
  const bool fits = sentences < most_ && pieces + lengths_[sentence] <= most_words_;
  if (sentences > 0 && !fits) return std::nullopt;
  ++next_;
  return sentence;
}

void SentenceFeed::end() {
  const std::lock_guard lock(mutex_);
  next_ = order_.size();
}

}  // namespace eatt
