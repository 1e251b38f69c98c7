#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "runtime/search/search.h"
#include "runtime/search/sentence_search.h"
#include "runtime/search/step_model.h"

namespace eatt {

// The end of a sentence's search.
struct FinishedSearch {
  uint64_t id = 0;
  std::vector<SearchHypothesis> hypotheses;  // As search() returns them.
  std::exception_ptr failure = {};           // Else what the search of this sentence threw.
};

// A search whose sentences join and leave between any two steps, each with its own options. What is
// found for a sentence depends neither on the others nor on when it joins, to the last bit.
class RunningSearch {
 public:
  // The model is used by this object alone; what was in its batch is forgotten.
  explicit RunningSearch(StepModel& model);

  // The sentence joins at the next step, under a number that no other in here has. Throws as
  // search() does if it cannot be searched for; then it has not joined.
  void add(SearchTask task, const SearchOptions& options, uint64_t id);

  // The sentence leaves without a result; nothing happens if it is not in here.
  void remove(uint64_t id);
  void clear();

  // Encodes those that joined, all together, then adds a piece to every hypothesis. Returns the
  // sentences that are finished, which have left; valid until the next call. What the model throws
  // concerns all sentences: clear() then.
  std::span<FinishedSearch> step();

  bool empty() const { return running_.empty(); }
  size_t sentences() const { return running_.size(); }
  size_t source_pieces() const { return source_pieces_; }
  size_t last_rows() const { return rows_.size(); }  // Hypotheses of the last step.
  // The most that the sentences in here can have in a step.
  size_t most_rows() const { return most_rows_; }
  static size_t most_rows(const SearchOptions& options);

 private:
  struct Running {
    uint64_t id;
    std::shared_ptr<SearchTools> tools;
    SentenceSearch search;
  };

  std::shared_ptr<SearchTools> tools_for(const SearchOptions& options);
  int32_t take_number();
  void encode_joined();
  BestWanted best_wanted() const;
  void advance(Running& running, const StepScores& scores, size_t first_row);
  void leave(const Running& running);

  StepModel& model_;
  std::vector<Running> running_;  // Those that joined since the last step at the end.
  size_t joined_ = 0;             // How many those are.
  size_t source_pieces_ = 0, most_rows_ = 0;
  std::vector<std::shared_ptr<SearchTools>> tools_;  // One for each set of options.
  std::vector<int32_t> free_numbers_;
  int32_t numbers_ = 0;  // Ever taken.
  std::vector<StepRow> rows_;
  std::vector<NewSentence> new_sentences_;
  std::vector<FinishedSearch> finished_;
};

}  // namespace eatt
