#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/api/translator.h"
#include "runtime/search/step_model.h"

namespace eatt {

// One sentence to search a translation for.
struct SearchTask {
  std::vector<int32_t> source;       // Pieces without markers.
  std::vector<int32_t> prefix = {};  // Pieces that every hypothesis begins with.
  uint64_t number = 0;               // Of the sentence, for sampling: see SearchOptions::seed.
  bool wants_attention = true;       // In the hypotheses, if the model gives it.
  // Whether hypotheses carry scores. Without them piece_scores is empty, sums are 0, and greedy
  // search computes no log-sums.
  bool wants_scores = true;
};

struct SearchHypothesis {
  std::vector<int32_t> pieces;  // Without the end marker.
  double score = 0;
  double log_probability = 0;
  std::vector<double> piece_scores;           // Log-probabilities; the end's last if finished.
  std::vector<std::vector<float>> attention;  // Likewise; empty if the model gives none.
  bool finished = true;
};

// The n_best hypotheses of each task, the best first; at least one, and fewer than n_best if there
// are no more. Those that the length limit cut off come after all that ended. Throws a UsageError
// if options contradict each other, and an Error if a prefix cannot be computed or the model
// computes NaN.
std::vector<std::vector<SearchHypothesis>> search(StepModel& model,
                                                  std::span<const SearchTask> tasks,
                                                  const SearchOptions& options);

// Scores of given translations: forced decoding, targets without markers. A piece that the model
// rules out counts −10,000, as in prefixes. Throws an Error as search does.
struct ScoreTask {
  std::vector<int32_t> source, target;
};
std::vector<SearchHypothesis> score_targets(StepModel& model, std::span<const ScoreTask> tasks);

// The most pieces of a translation, the end marker not counted. A prefix is never cut. Throws an
// Error if the prefix cannot be computed.
size_t length_limit(const SearchTask& task, const SearchOptions& options, const StepModel& model);

// The most pieces that can be forced, with room for the end marker.
size_t most_forced_pieces(const StepModel& model);

// Throws an Error if there are more, or one is a marker or outside the vocabulary. `what` is how
// the message calls them.
void check_forced_pieces(std::span<const int32_t> pieces, const StepModel& model,
                         std::string_view what);

}  // namespace eatt
