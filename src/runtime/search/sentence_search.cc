#include "runtime/search/sentence_search.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "runtime/layers/observer.h"
#include "text/pieces/pieces.h"

namespace eatt {

SentenceSearch::SentenceSearch(SearchTask task, int32_t sentence, size_t limit)
    : task_(std::move(task)), sentence_(sentence), limit_(limit), live_(1) {}

void SentenceSearch::append_rows(std::vector<StepRow>& rows) const {
  for (const Live& live : live_) {
    const int32_t piece =
        live.chain == HypothesisChains::kEmpty ? kStartPiece : chains_.piece(live.chain);
    rows.push_back({.sentence = sentence_, .parent = live.row, .piece = piece});
  }
}

size_t SentenceSearch::best_wanted(const SearchTools& tools) const {
  const SearchOptions& options = tools.options;
  const size_t forced = task_.prefix.size();
  if (length_ < forced || options.sampling || tools.next.needs_used_pieces()) return 0;
  if (!options.alternatives) return static_cast<size_t>(options.beam_size);
  return length_ == forced ? static_cast<size_t>(options.n_best) : 1;
}

bool SentenceSearch::needs_log_sums(const SearchOptions& options) const {
  return task_.wants_scores || options.beam_size > 1 || options.alternatives;
}

void SentenceSearch::advance(const StepModel& model, const StepScores& scores, size_t first_row,
                             SearchTools& tools) {
  for (size_t i = 0; i < live_.size(); ++i) live_[i].row = static_cast<int32_t>(first_row + i);
  read_attention(model, first_row, tools);
  next_live_.clear();
  if (length_ < task_.prefix.size()) {
    force_prefix(scores, tools);
  } else if (tools.options.sampling || tools.options.alternatives) {
    grow_alone(scores, tools);
  } else {
    grow_together(scores, tools);
  }
  live_.swap(next_live_);
  ++length_;
  if (best_is_found(tools)) live_.clear();
}

void SentenceSearch::read_attention(const StepModel& model, size_t first_row,
                                    const SearchTools& tools) {
  if (!task_.wants_attention && tools.options.coverage_penalty == 0) return;
  for (size_t i = 0; i < live_.size(); ++i) {
    live_[i].attention = chains_.add_attention(model.attention(first_row + i));
  }
  if (tools.options.coverage_penalty != 0 && live_[0].attention == HypothesisChains::kNoAttention) {
    throw UsageError(
        "--coverage-penalty needs the attention over the source, but the model was loaded without "
        "it; set wants_attention");
  }
}

void SentenceSearch::force_prefix(const StepScores& scores, SearchTools& tools) {
  const Live& live = live_[0];  // There is only one hypothesis so far.
  const RowScores row(scores, static_cast<size_t>(live.row));
  const int32_t piece = task_.prefix[length_];
  if (tools.observer != nullptr) {
    tools.observer->row_expanded(
        {.columns = row.columns(), .ordinary = 0, .wanted = 0, .candidates = 1});
  }
  next_live_.push_back(grown(live, tools.next.forced(row, piece, used_pieces(live, tools))));
}

void SentenceSearch::grow_together(const StepScores& scores, SearchTools& tools) {
  collect_growths(scores, tools);
  take_growths(tools);
}

// Everything that can be among the beam_size best without an end marker, and all end markers.
void SentenceSearch::collect_growths(const StepScores& scores, SearchTools& tools) {
  tools.growths.clear();
  const auto beam_size = static_cast<size_t>(tools.options.beam_size);
  for (size_t i = 0; i < live_.size(); ++i) {
    const RowScores row(scores, static_cast<size_t>(live_[i].row));
    tools.choices.clear();
    tools.next.append_best(row, used_pieces(live_[i], tools), beam_size, may_end(tools),
                           tools.choices);
    if (tools.observer != nullptr) {
      tools.observer->row_expanded({.columns = row.columns(),
                                    .ordinary = row.columns() - row.first_ordinary(),
                                    .wanted = beam_size,
                                    .candidates = tools.choices.size()});
    }
    for (const NextPiece& next : tools.choices) {
      tools.growths.push_back({.parent = i, .next = next, .path = live_[i].path + next.gain});
    }
    if (tools.choices.empty() && !at_limit()) cut(live_[i], tools);  // A dead end.
  }
}

// A hypothesis ends if its end marker is among the beam_size best continuations; the beam_size best
// others continue. At the length limit none does: those that have not ended are cut off.
void SentenceSearch::take_growths(SearchTools& tools) {
  auto& growths = tools.growths;
  const auto beam_size = static_cast<size_t>(tools.options.beam_size);
  const size_t wanted = std::min(growths.size(), 2 * beam_size);  // One end marker per hypothesis.
  if (tools.observer != nullptr) tools.observer->growths_ranked(growths.size(), wanted);
  const auto order = [](const Growth& a, const Growth& b) {
    if (a.path != b.path) return a.path > b.path;
    return a.parent != b.parent ? a.parent < b.parent : a.next.piece < b.next.piece;
  };
  std::partial_sort(growths.begin(), growths.begin() + static_cast<std::ptrdiff_t>(wanted),
                    growths.end(), order);
  std::vector<bool> has_ended(at_limit() ? live_.size() : 0);
  for (size_t rank = 0; rank < wanted && next_live_.size() < beam_size; ++rank) {
    const Growth& growth = growths[rank];
    if (growth.next.piece != kEndPiece) {
      next_live_.push_back(grown(live_[growth.parent], growth.next));
    } else if (rank < beam_size) {
      finish(live_[growth.parent], growth.next, tools);
      if (at_limit()) has_ended[growth.parent] = true;
    }
  }
  if (!at_limit()) return;
  next_live_.clear();
  for (size_t i = 0; i < live_.size(); ++i) {
    if (!has_ended[i]) cut(live_[i], tools);
  }
}

void SentenceSearch::grow_alone(const StepScores& scores, SearchTools& tools) {
  const bool parting = length_ == task_.prefix.size();  // One hypothesis becomes several.
  for (const Live& live : live_) {
    const RowScores row(scores, static_cast<size_t>(live.row));
    choose_alone(live, row, tools);
    bool was_cut = false;
    for (size_t i = 0; i < tools.choices.size(); ++i) {
      if (tools.choices[i].piece == kEndPiece) {
        finish(live, tools.choices[i], tools);
      } else if (!at_limit()) {
        next_live_.push_back(grown(live, tools.choices[i]));
        if (parting) next_live_.back().number = i;
      } else if (!was_cut ||
                 tools.options.sampling) {  // Alternatives that are cut off are identical.
        cut(live, tools);
        was_cut = true;
      }
    }
    if (tools.choices.empty()) cut(live, tools);  // A dead end.
  }
}

// Fills tools.choices with what this hypothesis grows by: one piece, or as many as it parts into.
void SentenceSearch::choose_alone(const Live& live, const RowScores& row,
                                  SearchTools& tools) const {
  const SearchOptions& options = tools.options;
  const bool parting = length_ == task_.prefix.size();
  const auto used = used_pieces(live, tools);
  tools.choices.clear();
  if (!options.sampling) {
    const size_t count = parting ? static_cast<size_t>(options.n_best) : 1;
    tools.next.append_best(row, used, count, may_end(tools), tools.choices);
    std::ranges::sort(tools.choices, better);
    if (tools.choices.size() > count) tools.choices.resize(count);
    return;
  }
  const uint64_t first = parting ? 0 : live.number;
  const uint64_t last = parting ? static_cast<uint64_t>(options.beam_size) : first + 1;
  for (uint64_t number = first; number < last; ++number) {
    tools.next.gains(row, used, may_end(tools), tools.gains);
    const auto column =
        tools.sampler.draw(tools.gains, uniform_draw(options.seed, task_.number, number, length_));
    if (column) tools.choices.push_back(tools.next.at(row, *column, used));
  }
}

// Whether the search of a beam ends: beam_size hypotheses have ended, or no live one can still
// reach the n_best of those. (One that only ties comes after them: see results().)
bool SentenceSearch::best_is_found(SearchTools& tools) const {
  const SearchOptions& options = tools.options;
  if (options.sampling || options.alternatives || live_.empty()) return false;
  if (finished_ >= static_cast<size_t>(options.beam_size)) return true;
  const auto n_best = static_cast<size_t>(options.n_best);
  if (!options.early_stopping || finished_ < n_best) return false;
  std::vector<double> scores;
  for (const Ended& ended : ended_) {
    if (ended.finished) scores.push_back(ended.score);
  }
  const auto worst = scores.begin() + static_cast<std::ptrdiff_t>(n_best - 1);
  std::nth_element(scores.begin(), worst, scores.end(), std::greater<>());
  const size_t least = std::max(length_, static_cast<size_t>(options.min_length)) + 1;
  return tools.scores.bound(live_[0].path, least, limit_ + 1) <= *worst;
}

bool SentenceSearch::may_end(const SearchTools& tools) const {
  return length_ >= static_cast<size_t>(tools.options.min_length);
}

std::span<const int32_t> SentenceSearch::used_pieces(const Live& live, SearchTools& tools) const {
  tools.used.clear();
  if (tools.next.needs_used_pieces()) chains_.append_pieces(live.chain, tools.used);
  return tools.used;
}

SentenceSearch::Live SentenceSearch::grown(const Live& live, const NextPiece& next) {
  Live result = live;
  result.chain = chains_.add(live.chain, next.piece, next.log_probability, live.attention);
  result.path += next.gain;
  return result;
}

void SentenceSearch::finish(const Live& live, const NextPiece& next, SearchTools& tools) {
  const Live last = grown(live, next);
  end(last.chain, last.path, /*finished=*/true, tools);
  ++finished_;
}

void SentenceSearch::cut(const Live& live, SearchTools& tools) {
  end(live.chain, live.path, /*finished=*/false, tools);
}

void SentenceSearch::end(int32_t chain, double path, bool finished, SearchTools& tools) {
  double coverage = 0;
  if (tools.options.coverage_penalty != 0) {
    coverage = tools.scores.coverage(chains_.attention_sum(chain));
  }
  ended_.push_back({.chain = chain,
                    .score = tools.scores.score(path, chains_.length(chain), coverage),
                    .finished = finished});
}

// A hypothesis that was cut off had one position more, at which it did not end.
void SentenceSearch::tell_outcome(const Ended& best, size_t n_best, Observer& observer) const {
  observer.sentence_done({.ended = ended_.size(),
                          .n_best = n_best,
                          .source_positions = task_.source.size() + 1,
                          .best_positions = chains_.length(best.chain) + (best.finished ? 0 : 1)});
}

std::vector<SearchHypothesis> SentenceSearch::results(SearchTools& tools) const {
  const auto n_best = static_cast<size_t>(tools.options.n_best);
  std::vector<Ended> ended = ended_;
  std::ranges::stable_sort(ended, [](const Ended& a, const Ended& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  if (tools.observer != nullptr) tell_outcome(ended.front(), n_best, *tools.observer);
  if (ended.size() > n_best) ended.resize(n_best);
  std::vector<SearchHypothesis> hypotheses;
  for (const Ended& best : ended) {
    SearchHypothesis hypothesis = chains_.hypothesis(best.chain);
    hypothesis.score = best.score;
    hypothesis.finished = best.finished;
    if (!task_.wants_scores) {
      hypothesis.score = hypothesis.log_probability = 0;
      hypothesis.piece_scores.clear();
    }
    hypotheses.push_back(std::move(hypothesis));
  }
  return hypotheses;
}

}  // namespace eatt
