#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"

namespace eatt::energy::testing {

// The codes that a runtime made, in order.
class RecordedCodes : public Observer {
 public:
  void codes(const CodeRows& codes) override;

  // Those of the next call for this place, [rows, dim] row by row, counted in units.
  std::vector<int> take(const Place& place);
  bool empty() const;  // All were taken.

 private:
  std::map<Place, std::deque<std::vector<int>>> calls_;
};

struct RecordedStep {
  std::vector<StepRow> rows;
  std::vector<std::vector<int32_t>> pieces;  // Of each row: which may come next, ascending.
  std::vector<std::vector<float>> logits;    // Of each row and of those pieces.
};

// What the runtime did to translate one batch.
struct RecordedRun {
  std::vector<SearchTask> tasks;
  SearchOptions options;
  size_t most_pieces = 0;  // Of a translation, by the model; the end marker included.
  std::vector<RecordedStep> steps;
  RecordedCodes codes;
  std::vector<std::vector<SearchHypothesis>> results;  // By task.
  Activity activity;
};

// The observer of `steps` is replaced.
RecordedRun record_run(const Model& model, const std::vector<SearchTask>& tasks,
                       const SearchOptions& options, StepModelOptions steps = {});

}  // namespace eatt::energy::testing
