#include "runtime/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "runtime/search/running_search.h"
#include "runtime/search/step_model.h"
#include "text/pieces/pieces.h"

namespace eatt {

size_t length_limit(const SearchTask& task, const SearchOptions& options, const StepModel& model) {
  check_forced_pieces(task.prefix, model, "prefix");
  const size_t most = most_forced_pieces(model);
  double limit = options.max_length_factor * static_cast<double>(task.source.size()) +
                 static_cast<double>(options.max_length_extra);
  if (options.max_length > 0) limit = std::min(limit, static_cast<double>(options.max_length));
  limit = std::max(
      {limit, static_cast<double>(task.prefix.size()), static_cast<double>(options.min_length)});
  return limit < static_cast<double>(most) ? static_cast<size_t>(limit) : most;
}

std::vector<std::vector<SearchHypothesis>> search(StepModel& model,
                                                  std::span<const SearchTask> tasks,
                                                  const SearchOptions& options) {
  RunningSearch running(model);
  for (size_t i = 0; i < tasks.size(); ++i) running.add(tasks[i], options, i);
  std::vector<std::vector<SearchHypothesis>> results(tasks.size());
  while (!running.empty()) {
    for (FinishedSearch& finished : running.step()) {
      if (finished.failure) std::rethrow_exception(finished.failure);
      results[finished.id] = std::move(finished.hypotheses);
    }
  }
  return results;
}

size_t most_forced_pieces(const StepModel& model) {
  expects(model.max_target_pieces() > 0, "a model computes one target piece at least");
  return model.max_target_pieces() - 1;
}

void check_forced_pieces(std::span<const int32_t> pieces, const StepModel& model,
                         std::string_view what) {
  if (pieces.size() > most_forced_pieces(model)) {
    throw Error(
        fmt::format("a {} has {} pieces, but the model computes at most {} and the end "
                    "marker; shorten it",
                    what, pieces.size(), most_forced_pieces(model)));
  }
  for (const int32_t piece : pieces) {
    const bool marker = piece == kPadPiece || piece == kStartPiece || piece == kEndPiece;
    if (!marker && piece >= 0 && static_cast<size_t>(piece) < model.vocab()) continue;
    throw Error(fmt::format("a {} holds piece {}; expected pieces of text, below {}, no markers",
                            what, piece, model.vocab()));
  }
}

namespace {

// Piece number `step` of a target, the end marker last.
int32_t target_piece(const ScoreTask& task, size_t step) {
  return step < task.target.size() ? task.target[step] : kEndPiece;
}

// The rows of a step: the sentences that have not ended, each continuing its own row.
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
  std::vector<NewSentence> sentences;
  for (size_t i = 0; i < tasks.size(); ++i) {
    check_forced_pieces(tasks[i].target, model, "translation to score");
    sentences.push_back({.sentence = static_cast<int32_t>(i),
                         .source = tasks[i].source,
                         .required = tasks[i].target});
    hypotheses[i].pieces = tasks[i].target;
  }
  model.clear();
  model.add(sentences);
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
