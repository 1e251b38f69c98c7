#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/search/hypotheses.h"
#include "runtime/search/next_pieces.h"
#include "runtime/search/search.h"

namespace eatt {

// A continuation of a hypothesis.
struct Growth {
  size_t parent = 0;  // Among the live ones.
  NextPiece next;
  double path = 0;  // With it.
};

// What the sentences of a batch share: rules and reused buffers.
struct SearchTools {
  // For hypotheses of up to `longest` pieces, the end marker counted.
  SearchTools(const SearchOptions& search_options, size_t longest, Observer* told)
      : options(search_options),
        scores(options, longest),
        next(options),
        sampler(options),
        observer(told) {}

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
  // `task` must outlive this; `limit` is the most pieces of a translation.
  SentenceSearch(const SearchTask& task, int32_t sentence, size_t limit);

  int32_t sentence() const { return sentence_; }
  bool done() const { return live_.empty(); }
  size_t rows() const { return live_.size(); }

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

  const SearchTask* task_;
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
