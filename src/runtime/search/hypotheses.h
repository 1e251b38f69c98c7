#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/api/translator.h"
#include "runtime/search/search.h"

namespace eatt {

// The hypotheses of one sentence as chains of pieces. A link knows the one before it, so hypotheses
// share what they have in common, and one that grows copies nothing. A chain is named by its last
// link.
class HypothesisChains {
 public:
  static constexpr int32_t kEmpty = -1;        // The chain without pieces.
  static constexpr int32_t kNoAttention = -1;  // Of a model that gives none.

  // A chain that continues `parent`; `attention` is what add_attention gave for the row that
  // predicted the piece.
  int32_t add(int32_t parent, int32_t piece, double log_probability, int32_t attention);

  // Keeps a row's attention, which has the same length for all rows of the sentence.
  int32_t add_attention(std::span<const float> attention);

  int32_t piece(int32_t chain) const { return link(chain).piece; }
  size_t length(int32_t chain) const { return chain == kEmpty ? 0 : link(chain).length; }

  // All pieces of a chain in any order.
  void append_pieces(int32_t chain, std::vector<int32_t>& pieces) const;
  // Attention summed over a chain: [source pieces + 1]; empty if there is none.
  std::vector<double> attention_sum(int32_t chain) const;

  // Everything but the score and whether it is finished; an end marker is left out of the pieces.
  SearchHypothesis hypothesis(int32_t chain) const;

 private:
  struct Link {
    int32_t parent;
    int32_t piece;
    int32_t attention;
    uint32_t length;
    double log_probability;
  };

  const Link& link(int32_t chain) const { return links_[static_cast<size_t>(chain)]; }
  std::span<const float> attention(int32_t number) const {
    return std::span(attention_).subspan(static_cast<size_t>(number) * width_, width_);
  }

  std::vector<Link> links_;
  std::vector<float> attention_;  // [added, width]
  size_t width_ = 0;
};

// The score by which hypotheses of different lengths are compared. With n pieces in a hypothesis,
// including its end marker if it has one:
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
  // the same number on both sides, so the bound also holds for the rounded results.
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
