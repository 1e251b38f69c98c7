#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "runtime/search/sentence_search.h"
#include "text/pieces/pieces.h"

namespace eatt {

int32_t HypothesisChains::add(int32_t parent, int32_t piece, double log_probability,
                              int32_t attention) {
  links_.push_back({.parent = parent,
                    .piece = piece,
                    .attention = attention,
                    .length = static_cast<uint32_t>(length(parent) + 1),
                    .log_probability = log_probability});
  return static_cast<int32_t>(links_.size() - 1);
}

int32_t HypothesisChains::add_attention(std::span<const float> attention) {
  if (attention.empty()) return kNoAttention;
  if (width_ == 0) width_ = attention.size();
  expects(attention.size() == width_, "attention of a sentence's rows is equally long");
  attention_.insert(attention_.end(), attention.begin(), attention.end());
  return static_cast<int32_t>(attention_.size() / width_ - 1);
}

void HypothesisChains::append_pieces(int32_t chain, std::vector<int32_t>& pieces) const {
  for (; chain != kEmpty; chain = link(chain).parent) pieces.push_back(link(chain).piece);
}

std::vector<double> HypothesisChains::attention_sum(int32_t chain) const {
  std::vector<double> sum;
  for (; chain != kEmpty; chain = link(chain).parent) {
    if (link(chain).attention == kNoAttention) continue;
    sum.resize(width_);
    const auto row = attention(link(chain).attention);
    for (size_t i = 0; i < width_; ++i) sum[i] += static_cast<double>(row[i]);
  }
  return sum;
}

SearchHypothesis HypothesisChains::hypothesis(int32_t chain) const {
  SearchHypothesis result;
  result.pieces.resize(length(chain));
  result.piece_scores.resize(length(chain));
  if (width_ > 0) result.attention.resize(length(chain));
  for (size_t i = length(chain); i-- > 0; chain = link(chain).parent) {
    const Link& last = link(chain);
    result.pieces[i] = last.piece;
    result.piece_scores[i] = last.log_probability;
    if (last.attention == kNoAttention) continue;
    const auto row = attention(last.attention);
    result.attention[i].assign(row.begin(), row.end());
  }
  for (const double score : result.piece_scores) result.log_probability += score;
  if (!result.pieces.empty() && result.pieces.back() == kEndPiece) result.pieces.pop_back();
  return result;
}

namespace {

double divisor(const SearchOptions& options, size_t pieces) {
  const double n = std::max(1.0, static_cast<double>(pieces));  // Cut before the first piece: 0.
  if (options.normalize != 0) return std::pow(n, options.normalize);
  if (options.length_penalty != 0) return std::pow((5 + n) / 6, options.length_penalty);
  return 1;
}

}  // namespace

void HypothesisScore::reach(size_t longest) {
  while (divisors_.size() <= longest) divisors_.push_back(divisor(options_, divisors_.size()));
}

double HypothesisScore::score(double path, size_t pieces, double coverage) const {
  return (path - options_.word_penalty * static_cast<double>(pieces)) / divisors_[pieces] +
         coverage;
}

double HypothesisScore::bound(double path, size_t least, size_t most) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t n = least; n <= most; ++n) highest = std::max(highest, score(path, n, 0));
  return highest;
}

double HypothesisScore::coverage(std::span<const double> attention_sum) const {
  // A piece without any attention costs as much as one with this little, instead of infinity.
  constexpr double kLeast = 1e-10;
  double sum = 0;
  for (size_t i = 0; i + 1 < attention_sum.size(); ++i) {
    sum += std::log(std::clamp(attention_sum[i], kLeast, 1.0));
  }
  return options_.coverage_penalty * sum;
}

}  // namespace eatt
