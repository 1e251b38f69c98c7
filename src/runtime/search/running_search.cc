#include "runtime/search/running_search.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "runtime/api/option_fields.h"
#include "runtime/layers/observer.h"

namespace eatt {

RunningSearch::RunningSearch(StepModel& model) : model_(model) { model_.clear(); }

size_t RunningSearch::most_rows(const SearchOptions& options) {
  return static_cast<size_t>(options.alternatives ? options.n_best : options.beam_size);
}

void RunningSearch::add(SearchTask task, const SearchOptions& options, uint64_t id) {
  check_search_options(options);
  if (model_.observer() != nullptr) model_.observer()->search_starts(options);
  const size_t limit = length_limit(task, options, model_);
  auto tools = tools_for(options);
  tools->scores.reach(limit + 1);
  source_pieces_ += task.source.size();
  most_rows_ += most_rows(options);
  running_.push_back({id, std::move(tools), {std::move(task), take_number(), limit}});
  ++joined_;
}

std::shared_ptr<SearchTools> RunningSearch::tools_for(const SearchOptions& options) {
  const auto found =
      std::ranges::find_if(tools_, [&](const auto& tools) { return tools->options == options; });
  if (found != tools_.end()) return *found;
  std::erase_if(tools_, [](const auto& tools) { return tools.use_count() == 1; });
  return tools_.emplace_back(std::make_shared<SearchTools>(options, model_.observer()));
}

int32_t RunningSearch::take_number() {
  if (free_numbers_.empty()) return numbers_++;
  const int32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  return number;
}

void RunningSearch::leave(const Running& running) {
  source_pieces_ -= running.search.task().source.size();
  most_rows_ -= most_rows(running.tools->options);
  free_numbers_.push_back(running.search.sentence());
}

void RunningSearch::remove(uint64_t id) {
  const auto found =
      std::ranges::find_if(running_, [&](const Running& running) { return running.id == id; });
  if (found == running_.end()) return;
  leave(*found);
  const bool waits = running_.end() - found <= static_cast<std::ptrdiff_t>(joined_);
  if (waits) {
    --joined_;
  } else {
    model_.remove(found->search.sentence());
  }
  running_.erase(found);
}

void RunningSearch::clear() {
  for (const Running& running : running_) leave(running);
  running_.clear();
  joined_ = 0;
  model_.clear();
}

void RunningSearch::encode_joined() {
  if (joined_ == 0) return;
  new_sentences_.clear();
  for (const Running& running : std::span(running_).last(joined_)) {
    const SentenceSearch& search = running.search;
    new_sentences_.push_back({.sentence = search.sentence(),
                              .source = search.task().source,
                              .required = search.task().prefix});
  }
  model_.add(new_sentences_);
  joined_ = 0;
}

// What the sentences need together; count 0: all logits.
BestWanted RunningSearch::best_wanted() const {
  BestWanted wanted{.count = 0, .log_sums = false};
  for (const Running& running : running_) {
    const size_t count = running.search.best_wanted(*running.tools);
    if (count == 0) return {};
    wanted.count = std::max(wanted.count, count);
    wanted.log_sums |= running.search.needs_log_sums(running.tools->options);
  }
  return wanted;
}

std::span<FinishedSearch> RunningSearch::step() {
  finished_.clear();
  if (running_.empty()) return finished_;
  encode_joined();
  rows_.clear();
  for (const Running& running : running_) running.search.append_rows(rows_);
  const BestWanted wanted = best_wanted();
  const StepScores scores =
      wanted.count == 0 ? model_.step(rows_) : model_.step_best(rows_, wanted);
  size_t first_row = 0;
  for (Running& running : running_) {
    const size_t next_row = first_row + running.search.rows();
    advance(running, scores, first_row);
    first_row = next_row;
  }
  size_t next_finished = 0;
  std::erase_if(running_, [&](const Running& running) {
    const bool over = next_finished < finished_.size() && finished_[next_finished].id == running.id;
    if (!over) return false;
    ++next_finished;
    leave(running);
    model_.remove(running.search.sentence());
    return true;
  });
  return finished_;
}

// Where a sentence throws, its neighbours go on.
void RunningSearch::advance(Running& running, const StepScores& scores, size_t first_row) {
  try {
    running.search.advance(model_, scores, first_row, *running.tools);
    if (!running.search.done()) return;
    finished_.push_back({running.id, running.search.results(*running.tools)});
  } catch (const Error&) {
    finished_.push_back({running.id, {}, std::current_exception()});
  }
}

}  // namespace eatt
