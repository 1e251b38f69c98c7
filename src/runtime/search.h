#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/step_model.h"
#include "runtime/translator.h"

namespace eatt {

// One sentence to search a translation for.
struct SearchTask {
  std::vector<int32_t> source;       // Pieces without markers.
  std::vector<int32_t> prefix = {};  // Pieces that every hypothesis begins with.
  uint64_t number = 0;               // Of the sentence, for sampling: see SearchOptions::seed.
};

struct SearchHypothesis {
  std::vector<int32_t> pieces;  // Without the end marker.
  double score = 0;
  double log_probability = 0;
  std::vector<double> piece_scores;           // One more than pieces if it is finished.
  std::vector<std::vector<float>> attention;  // Likewise; empty if the model gives none.
  bool finished = true;
};

// The n_best hypotheses of each task, the best first, one at least. Throws a UsageError if options
// contradict each other.
std::vector<std::vector<SearchHypothesis>> search(StepModel& model,
                                                  std::span<const SearchTask> tasks,
                                                  const SearchOptions& options);

// Scores of given translations: forced decoding, targets without markers.
struct ScoreTask {
  std::vector<int32_t> source, target;
};
std::vector<SearchHypothesis> score_targets(StepModel& model, std::span<const ScoreTask> tasks);

void check_search_options(const SearchOptions& options);

}  // namespace eatt
