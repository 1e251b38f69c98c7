#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/api/translator.h"

namespace eatt {

// What hypotheses of different lengths are compared by. With n the pieces of a hypothesis, its end
// marker counted if it has one:
//   score = (path − word_penalty · n) / d(n) + coverage
//   d(n) = ((5 + n) / 6)^length_penalty or n^normalize
// `path` is the sum of the log-probabilities, those of repeated pieces times repetition_penalty.
class HypothesisScore {
 public:
  // For hypotheses of up to `longest` pieces, the end marker counted.
  HypothesisScore(const SearchOptions& options, size_t longest);

  double score(double path, size_t pieces, double coverage) const;

  // No hypothesis that continues one with this path, and ends with `least` to `most` pieces, has a
  // score above this. Proof: its path is not above this one, because it adds log-probabilities,
  // which are not above 0, times 1 or a positive repetition_penalty; its coverage is a sum of
  // logarithms of numbers up to 1 times a β that is not negative, so not above 0. Hence with n
  // pieces its score is at most (path − word_penalty·n) / d(n), as d(n) > 0, and the bound is the
  // largest of these. Sums, differences and quotients are rounded monotonically, and d(n) is
  // the same number on both sides: it holds for what is computed too, not only on paper.
  double bound(double path, size_t least, size_t most) const;

  // β · Σ log(min(sum, 1)) over the source pieces; `attention_sum` has the end marker's last, which
  // does not count.
  double coverage(std::span<const double> attention_sum) const;

 private:
  double word_penalty_;
  double coverage_penalty_;
  std::vector<double> divisors_;  // d(n)
};

}  // namespace eatt
