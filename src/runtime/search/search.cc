#include "runtime/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "runtime/api/option_fields.h"
#include "runtime/layers/observer.h"
#include "runtime/search/sentence_search.h"
#include "runtime/search/step_model.h"
#include "text/pieces/pieces.h"

namespace eatt {

namespace {

// The most pieces of a translation, the end marker not counted. A prefix is never cut.
size_t length_limit(const SearchTask& task, const SearchOptions& options, size_t most) {
  double limit = options.max_length_factor * static_cast<double>(task.source.size()) +
                 static_cast<double>(options.max_length_extra);
  if (options.max_length > 0) limit = std::min(limit, static_cast<double>(options.max_length));
  limit = std::max(
      {limit, static_cast<double>(task.prefix.size()), static_cast<double>(options.min_length)});
  return limit < static_cast<double>(most) ? static_cast<size_t>(limit) : most;
}

std::vector<size_t> length_limits(const StepModel& model, std::span<const SearchTask> tasks,
                                  const SearchOptions& options) {
  std::vector<size_t> limits;
  for (const SearchTask& task : tasks) {
    check_forced_pieces(task.prefix, model, "prefix");
    limits.push_back(length_limit(task, options, most_forced_pieces(model)));
  }
  return limits;
}

// The sentences that are not finished.
class Batch {
 public:
  // At least one task, and the most pieces of each translation.
  Batch(StepModel& model, std::span<const SearchTask> tasks, const std::vector<size_t>& limits,
        const SearchOptions& options)
      : model_(model),
        tools_(options, std::ranges::max(limits) + 1, model.observer()),
        results_(tasks.size()) {
    if (tools_.observer != nullptr) tools_.observer->search_starts(options);
    std::vector<std::vector<int32_t>> sources, prefixes;
    for (size_t i = 0; i < tasks.size(); ++i) {
      searches_.emplace_back(tasks[i], static_cast<int32_t>(i), limits[i]);
      sources.push_back(tasks[i].source);
      prefixes.push_back(tasks[i].prefix);
    }
    model.require_pieces(prefixes);
    model.start(sources);
  }

  bool done() const { return searches_.empty(); }

  // Adds one piece to every hypothesis; removes sentences that are finished.
  void step() {
    rows_.clear();
    for (const SentenceSearch& search : searches_) search.append_rows(rows_);
    const StepScores scores = model_.step(rows_);
    size_t first_row = 0;
    for (SentenceSearch& search : searches_) {
      const size_t next_row = first_row + search.rows();
      search.advance(model_, scores, first_row, tools_);
      first_row = next_row;
    }
    std::erase_if(searches_, [&](const SentenceSearch& search) {
      if (!search.done()) return false;
      results_[static_cast<size_t>(search.sentence())] = search.results(tools_);
      return true;
    });
  }

  std::vector<std::vector<SearchHypothesis>> take_results() { return std::move(results_); }

 private:
  StepModel& model_;
  SearchTools tools_;
  std::vector<std::vector<SearchHypothesis>> results_;
  std::vector<SentenceSearch> searches_;
  std::vector<StepRow> rows_;
};

}  // namespace

std::vector<std::vector<SearchHypothesis>> search(StepModel& model,
                                                  std::span<const SearchTask> tasks,
                                                  const SearchOptions& options) {
  check_search_options(options);
  if (tasks.empty()) return {};
  Batch batch(model, tasks, length_limits(model, tasks, options), options);
  while (!batch.done()) batch.step();
  return batch.take_results();
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
