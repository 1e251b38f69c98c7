#include "energy/recorded_run.h"

#include <algorithm>

#include "base/error.h"

namespace eatt::energy::testing {
namespace {

class RecordingSteps : public TransformerSteps {
 public:
  RecordingSteps(const Model& model, const StepModelOptions& options,
                 std::vector<RecordedStep>& recorded)
      : TransformerSteps(model, options), recorded_(recorded) {}

  StepScores step(std::span<const StepRow> rows) override {
    const StepScores scores = TransformerSteps::step(rows);
    RecordedStep& step = recorded_.emplace_back();
    step.rows.assign(rows.begin(), rows.end());
    for (size_t i = 0; i < rows.size(); ++i) {
      const RowLogits row = scores.row(i);
      step.logits.emplace_back(row.logits.begin(), row.logits.end());
      auto& pieces = step.pieces.emplace_back(row.pieces.begin(), row.pieces.end());
      for (size_t piece = 0; row.pieces.empty() && piece < row.logits.size(); ++piece)
        pieces.push_back(static_cast<int32_t>(piece));
    }
    return scores;
  }

 private:
  std::vector<RecordedStep>& recorded_;
};

}  // namespace

void RecordedCodes::codes(const CodeRows& codes) {
  std::vector<int> made;
  for (size_t row = 0; row < codes.rows; ++row) {
    for (size_t i = 0; i < codes.dim; ++i) made.push_back(codes.code(row, i));
  }
  calls_[codes.place].push_back(std::move(made));
}

std::vector<int> RecordedCodes::take(const Place& place) {
  auto& calls = calls_[place];
  expects(!calls.empty(), "the runtime made these codes too");
  std::vector<int> made = std::move(calls.front());
  calls.pop_front();
  return made;
}

bool RecordedCodes::empty() const {
  return std::ranges::all_of(calls_, [](const auto& place) { return place.second.empty(); });
}

RecordedRun record_run(const Model& model, const std::vector<SearchTask>& tasks,
                       const SearchOptions& options, StepModelOptions steps) {
  RecordedRun run{.tasks = tasks,
                  .options = options,
                  .most_pieces = 0,
                  .steps = {},
                  .codes = {},
                  .results = {},
                  .activity = {}};
  ActivityRecorder activity;
  ObserverChain observers({&run.codes, &activity});
  steps.observer = &observers;
  RecordingSteps recording(model, steps, run.steps);
  run.most_pieces = recording.max_target_pieces();
  run.results = search(recording, tasks, options);
  run.activity = activity.take();
  return run;
}

}  // namespace eatt::energy::testing
