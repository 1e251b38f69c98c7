#pragma once

#include <cstdint>
#include <vector>

#include "energy/counted_tensor.h"
#include "energy/recorded_run.h"

namespace eatt::energy::testing {

struct CountedHypothesis {
  std::vector<int32_t> pieces;  // The end marker included, if it has ended by itself.
  Score path = {};              // Sum of log-probabilities; in the end the final score.
  int32_t row = -1;             // Of the last step.
  bool finished = false;        // Otherwise cut.
};

// A beam search for one sentence, with counted numbers; work is charged by its owner.
class CountedSentence {
 public:
  // `limit` is the most pieces of a translation.
  CountedSentence(const SearchTask& task, const SearchOptions& options, size_t limit)
      : task_(task), options_(options), limit_(limit), live_(1) {}

  bool done() const { return live_.empty(); }
  const std::vector<CountedHypothesis>& live() const { return live_; }

  // Grows by the logits of a step; ours begin at first_row.
  void advance(const RecordedStep& step, size_t first_row);

  // The n_best, the best first. To be called once.
  std::vector<CountedHypothesis> results() const;

 private:
  struct Growth {
    size_t parent = 0;  // Among the live ones.
    int32_t piece = 0;
    Score path = {};
    bool operator==(const Growth& other) const {
      return parent == other.parent && piece == other.piece;
    }
  };
  // Logits of a row in memory of the arithmetic, with log Σ exp.
  struct Row {
    std::vector<int32_t> pieces;
    std::vector<Score> logits;
    Score log_sum;
  };
  static Row read_row(const std::vector<int32_t>& pieces, const std::vector<float>& logits);

  size_t beam_size() const { return static_cast<size_t>(options_.beam_size); }
  size_t length() const { return live_[0].pieces.size(); }
  void force(const Row& row);
  void append_growths(size_t parent, const Row& row, std::vector<Growth>& growths) const;
  Growth growth(size_t parent, const Row& row, size_t column) const;
  void take(const std::vector<Growth>& growths);
  CountedHypothesis grown(const Growth& growth) const;
  void end(CountedHypothesis hypothesis, bool finished);

  const SearchTask& task_;
  const SearchOptions& options_;
  size_t limit_;
  std::vector<CountedHypothesis> live_;  // The best first.
  std::vector<CountedHypothesis> ended_;
};

// Searches of a batch.
class CountedSearch {
 public:
  explicit CountedSearch(const RecordedRun& run);

  bool done() const;
  // What the model is to compute next.
  std::vector<StepRow> rows() const;
  void advance(const RecordedStep& step);
  // By task; empty until its search is done.
  const std::vector<std::vector<CountedHypothesis>>& results() const { return results_; }

 private:
  std::vector<CountedSentence> sentences_;
  std::vector<std::vector<CountedHypothesis>> results_;
};

}  // namespace eatt::energy::testing
