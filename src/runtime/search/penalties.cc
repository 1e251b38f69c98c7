#include "runtime/search/penalties.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eatt {
namespace {

double divisor(const SearchOptions& options, size_t pieces) {
  const double n = std::max(1.0, static_cast<double>(pieces));  // Cut before the first piece: 0.
  if (options.normalize != 0) return std::pow(n, options.normalize);
  if (options.length_penalty != 0) return std::pow((5 + n) / 6, options.length_penalty);
  return 1;
}

}  // namespace

HypothesisScore::HypothesisScore(const SearchOptions& options, size_t longest)
    : word_penalty_(options.word_penalty), coverage_penalty_(options.coverage_penalty) {
  divisors_.reserve(longest + 1);
  for (size_t n = 0; n <= longest; ++n) divisors_.push_back(divisor(options, n));
}

double HypothesisScore::score(double path, size_t pieces, double coverage) const {
  return (path - word_penalty_ * static_cast<double>(pieces)) / divisors_[pieces] + coverage;
}

double HypothesisScore::bound(double path, size_t least, size_t most) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t n = least; n <= most; ++n) highest = std::max(highest, score(path, n, 0));
  return highest;
}

double HypothesisScore::coverage(std::span<const double> attention_sum) const {
  // A piece that got no attention at all costs as much as one with this little, not an infinity.
  constexpr double kLeast = 1e-10;
  double sum = 0;
  for (size_t i = 0; i + 1 < attention_sum.size(); ++i) {
    sum += std::log(std::clamp(attention_sum[i], kLeast, 1.0));
  }
  return coverage_penalty_ * sum;
}

}  // namespace eatt
