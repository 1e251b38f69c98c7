#pragma once

#include <algorithm>
#include <cmath>

#include "toy_model.h"

namespace eatt::testing {

// All translations of up to `limit` pieces that a toy model can end, the best first: what a beam of
// any width is compared with. Written from the formulas, without the search's own code.
class EveryTranslation {
 public:
  EveryTranslation(ToyLogits logits, const SearchTask& task, const SearchOptions& options,
                   size_t limit)
      : logits_(std::move(logits)), task_(task), options_(options), limit_(limit) {
    Ids prefix;
    extend(prefix, {});
    std::ranges::stable_sort(found_, [](const SearchHypothesis& a, const SearchHypothesis& b) {
      return a.score > b.score;
    });
  }

  const std::vector<SearchHypothesis>& found() const { return found_; }

 private:
  void extend(Ids& prefix, std::vector<double> scores) {
    const auto logits = logits_(task_.source, prefix);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (int32_t piece = 0; piece < static_cast<int32_t>(logits.size()); ++piece) {
      if (!may_come(piece, prefix.size())) continue;
      auto longer = scores;
      longer.push_back(static_cast<double>(logits[static_cast<size_t>(piece)]) - std::log(sum));
      if (piece == kEndPiece) {
        add(prefix, longer);
      } else if (prefix.size() < limit_) {
        prefix.push_back(piece);
        extend(prefix, longer);
        prefix.pop_back();
      }
    }
  }

  bool may_come(int32_t piece, size_t position) const {
    if (position < task_.prefix.size()) return piece == task_.prefix[position];
    if (piece == kPadPiece || piece == kStartPiece) return false;
    if (piece == kUnknownPiece) return options_.allow_unknown;
    return piece != kEndPiece || position >= static_cast<size_t>(options_.min_length);
  }

  void add(const Ids& pieces, const std::vector<double>& scores) {
    SearchHypothesis hypothesis;
    hypothesis.pieces = pieces;
    hypothesis.piece_scores = scores;
    double path = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const bool repeated =
          i < pieces.size() && std::find(pieces.begin(), pieces.begin() + static_cast<long>(i),
                                         pieces[i]) != pieces.begin() + static_cast<long>(i);
      hypothesis.log_probability += scores[i];
      path += repeated ? options_.repetition_penalty * scores[i] : scores[i];
    }
    const double n = static_cast<double>(scores.size());
    const double divisor = options_.normalize != 0 ? std::pow(n, options_.normalize)
                                                   : std::pow((5 + n) / 6, options_.length_penalty);
    hypothesis.score = (path - options_.word_penalty * n) / divisor + coverage(pieces);
    found_.push_back(hypothesis);
  }

  double coverage(Ids pieces) const {
    std::vector<double> sums(task_.source.size() + 1);
    for (size_t steps = pieces.size() + 1; steps-- > 0; pieces.resize(steps ? steps - 1 : 0)) {
      const auto attention = ToyModel::attention_of(task_.source, pieces);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(attention[i]);
    }
    double total = 0;
    for (size_t i = 0; i + 1 < sums.size(); ++i) total += std::log(std::min(1.0, sums[i]));
    return options_.coverage_penalty * total;
  }

  ToyLogits logits_;
  SearchTask task_;
  SearchOptions options_;
  size_t limit_;
  std::vector<SearchHypothesis> found_;
};

}  // namespace eatt::testing
