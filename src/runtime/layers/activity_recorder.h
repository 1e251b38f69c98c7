#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "energy/activity.h"
#include "runtime/layers/observer.h"

namespace eatt {

// Adds up what a model and a beam search do, to count their operations. It is notified once per
// layer, step or hypothesis, never per element.
class ActivityRecorder : public Observer {
 public:
  const energy::Activity& activity() const { return activity_; }
  energy::Activity take() { return std::exchange(activity_, {}); }

  // Codes of all rows that pass a layer together. Those of the encoder's output may come in parts;
  // batch_encoded() closes them.
  void codes(const CodeRows& codes) override;
  void batch_encoded(const SourceRows& source) override;
  void step_done(const StepRecord& step) override;

  // Throws a UsageError for a search whose operations cannot be counted.
  void search_starts(const SearchOptions& options) override;
  void row_expanded(const RowExpansion& row) override;
  void growths_ranked(size_t growths, size_t wanted) override;
  void sentence_done(const SentenceOutcome& outcome) override;

 private:
  energy::CodeActivity& codes_at(const Place& place);
  uint64_t distinct_columns(const StepScores& scores, size_t rows);

  energy::Activity activity_;
  std::vector<uint64_t> seen_;      // Features that were one in some row of a call, as bits.
  std::vector<uint64_t> key_seen_;  // Of the encoder's output.
  std::vector<bool> columns_;       // Pieces that some row of a step has a column for.
};

}  // namespace eatt
