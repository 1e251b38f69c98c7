#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

  // Keeps a row's attention, which is equally long for all rows of the sentence.
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

}  // namespace eatt
