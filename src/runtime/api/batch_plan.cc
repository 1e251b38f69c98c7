#include "runtime/api/batch_plan.h"

#include <algorithm>

namespace eatt {

std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });

  const size_t workers = std::max<size_t>(limits.workers, 1);
  const size_t fair_share = (order.size() + workers - 1) / workers;
  const size_t most = std::max<size_t>(1, std::min(limits.sentences, fair_share));
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

}  // namespace eatt
