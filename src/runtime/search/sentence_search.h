#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/api/translator.h"
#include "runtime/search/next_pieces.h"
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
  explicit HypothesisScore(const SearchOptions& options) : options_(options) {}

  // From now on for hypotheses of up to `longest` pieces, the end marker counted.
  void reach(size_t longest);

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
  SearchOptions options_;
  std::vector<double> divisors_;  // d(n)
};

// A continuation of a hypothesis.
struct Growth {
  size_t parent = 0;  // Among the live ones.
  NextPiece next;
  double path = 0;  // With it.
};

// What the sentences of a batch that have the same options share: rules and reused buffers.
struct SearchTools {
  SearchTools(const SearchOptions& search_options, Observer* told)
      : options(search_options), scores(options), next(options), sampler(options), observer(told) {}

  SearchOptions options;
  HypothesisScore scores;
  NextPieces next;
  Sampler sampler;
  std::vector<int32_t> used;
  std::vector<NextPiece> choices;
  std::vector<Growth> growths;
  std::vector<float> gains;
  Observer* observer;  // Null: none.
};

// The search for one sentence's translation: which hypotheses are live, and which have ended. All
// live ones have the same number of pieces. First the prefix is forced; then they grow together (a
// beam, where they compete) or alone (sampling and alternatives).
class SentenceSearch {
 public:
  // `limit` is the most pieces of a translation.
  SentenceSearch(SearchTask task, int32_t sentence, size_t limit);

  const SearchTask& task() const { return task_; }
  int32_t sentence() const { return sentence_; }
  bool done() const { return live_.empty(); }
  size_t rows() const { return live_.size(); }

  // How many of the best pieces of its rows the next step needs; 0: all.
  size_t best_wanted(const SearchTools& tools) const;
  // Whether it needs log-probabilities, or only which logits are larger.
  bool needs_log_sums(const SearchOptions& options) const;
  // The live hypotheses as rows of the next step.
  void append_rows(std::vector<StepRow>& rows) const;
  // Extends them by the model's scores of these rows, of which ours begin at first_row.
  void advance(const StepModel& model, const StepScores& scores, size_t first_row,
               SearchTools& tools);

  // The n_best, the best first; those that ended come before those that were cut.
  std::vector<SearchHypothesis> results(SearchTools& tools) const;

 private:
  struct Live {
    int32_t chain = HypothesisChains::kEmpty;
    int32_t row = -1;                                    // Of the last step.
    double path = 0;                                     // Sum of gains.
    uint64_t number = 0;                                 // Among those that were drawn.
    int32_t attention = HypothesisChains::kNoAttention;  // Of its row in this step.
  };
  struct Ended {
    int32_t chain;
    double score;
    bool finished;
  };

  bool at_limit() const { return length_ == limit_; }
  bool may_end(const SearchTools& tools) const;
  std::span<const int32_t> used_pieces(const Live& live, SearchTools& tools) const;

  void read_attention(const StepModel& model, size_t first_row, const SearchTools& tools);
  void force_prefix(const StepScores& scores, SearchTools& tools);
  void grow_together(const StepScores& scores, SearchTools& tools);
  void collect_growths(const StepScores& scores, SearchTools& tools);
  void take_growths(SearchTools& tools);
  void grow_alone(const StepScores& scores, SearchTools& tools);
  void choose_alone(const Live& live, const RowScores& row, SearchTools& tools) const;
  bool best_is_found(SearchTools& tools) const;
  void tell_outcome(const Ended& best, size_t n_best, Observer& observer) const;

  Live grown(const Live& live, const NextPiece& next);
  void finish(const Live& live, const NextPiece& next, SearchTools& tools);
  void cut(const Live& live, SearchTools& tools);
  void end(int32_t chain, double path, bool finished, SearchTools& tools);

  SearchTask task_;
  int32_t sentence_;
  size_t limit_;
  size_t length_ = 0;  // Pieces of each live hypothesis.
  HypothesisChains chains_;
  std::vector<Live> live_;  // In a beam, the best first.
  std::vector<Live> next_live_;
  std::vector<Ended> ended_;
  size_t finished_ = 0;  // Of those that have ended.
};

}  // namespace eatt
