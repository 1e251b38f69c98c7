#include <algorithm>
#include <numeric>

#include "runtime/search/forced_pieces.h"
#include "runtime/search/row_scores.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"

namespace eatt {
namespace {

// Piece number `step` of a target, the end marker last.
int32_t target_piece(const ScoreTask& task, size_t step) {
  return step < task.target.size() ? task.target[step] : kEndPiece;
}

// The rows of a step: sentences that have not come to their end, each continuing its own row.
std::vector<StepRow> next_rows(std::span<const ScoreTask> tasks, std::span<const int32_t> active,
                               std::span<const int32_t> row_of, size_t step) {
  std::vector<StepRow> rows;
  for (const int32_t i : active) {
    const auto sentence = static_cast<size_t>(i);
    const int32_t piece = step == 0 ? kStartPiece : target_piece(tasks[sentence], step - 1);
    rows.push_back({.sentence = i, .parent = row_of[sentence], .piece = piece});
  }
  return rows;
}

void add_piece(const StepModel& model, const StepScores& scores, size_t row, int32_t piece,
               SearchHypothesis& hypothesis) {
  const double log_probability = RowScores(scores, row).forced_log_probability(piece);
  hypothesis.piece_scores.push_back(log_probability);
  hypothesis.log_probability += log_probability;
  const auto attention = model.attention(row);
  if (!attention.empty()) hypothesis.attention.emplace_back(attention.begin(), attention.end());
}

}  // namespace

std::vector<SearchHypothesis> score_targets(StepModel& model, std::span<const ScoreTask> tasks) {
  if (tasks.empty()) return {};
  std::vector<SearchHypothesis> hypotheses(tasks.size());
  std::vector<std::vector<int32_t>> sources, targets;
  for (size_t i = 0; i < tasks.size(); ++i) {
    check_forced_pieces(tasks[i].target, model, "translation to score");
    sources.push_back(tasks[i].source);
    targets.push_back(tasks[i].target);
    hypotheses[i].pieces = tasks[i].target;
  }
  model.require_pieces(targets);
  model.start(sources);
  std::vector<int32_t> active(tasks.size());
  std::iota(active.begin(), active.end(), 0);
  std::vector<int32_t> row_of(tasks.size(), -1);  // Of each sentence in the last step.
  for (size_t step = 0; !active.empty(); ++step) {
    const StepScores scores = model.step(next_rows(tasks, active, row_of, step));
    for (size_t row = 0; row < active.size(); ++row) {
      const auto i = static_cast<size_t>(active[row]);
      row_of[i] = static_cast<int32_t>(row);
      add_piece(model, scores, row, target_piece(tasks[i], step), hypotheses[i]);
    }
    std::erase_if(active,
                  [&](int32_t i) { return step == tasks[static_cast<size_t>(i)].target.size(); });
  }
  for (SearchHypothesis& hypothesis : hypotheses) hypothesis.score = hypothesis.log_probability;
  return hypotheses;
}

}  // namespace eatt
