#include "runtime/search/search.h"

#include <algorithm>

#include "runtime/api/option_fields.h"
#include "runtime/layers/observer.h"
#include "runtime/search/forced_pieces.h"
#include "runtime/search/sentence_search.h"

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

// Sentences whose search goes on.
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

  // One piece further; sentences that are done leave.
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

}  // namespace eatt
