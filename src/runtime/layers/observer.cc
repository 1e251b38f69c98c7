#include "runtime/layers/observer.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "kernels/selection/selection_codes.h"
#include "kernels/selection/signed_codes.h"
#include "runtime/api/translator.h"
#include "runtime/layers/layer.h"
#include "runtime/search/step_model.h"

namespace eatt {

uint64_t& CodeRows::word(size_t plane, size_t row, size_t feature) const {
  return bits[(plane * rows + row) * kernels::code_words(dim) + feature / 64];
}

size_t CodeRows::planes() const { return kernels::code_planes(levels); }

int CodeRows::code(size_t row, size_t feature) const {
  int code = 0;
  for (size_t plane = 0; plane < planes(); ++plane) {
    if ((word(plane, row, feature) >> feature % 64 & 1) == 0) continue;
    const int digit = 1 << plane / 2;
    code += plane % 2 == 0 ? digit : -digit;
  }
  return code;
}

void CodeRows::set(size_t row, size_t feature, int code) const {
  const uint64_t bit = uint64_t{1} << feature % 64;
  for (size_t plane = 0; plane < planes(); ++plane) {
    const int size = plane % 2 == 0 ? code : -code;
    const bool one = size > 0 && (size >> plane / 2 & 1) != 0;
    uint64_t& bits_of_word = word(plane, row, feature);
    bits_of_word = one ? bits_of_word | bit : bits_of_word & ~bit;
  }
}

bool ObserverChain::wants_times() const {
  return std::ranges::any_of(observers_, [](const Observer* o) { return o->wants_times(); });
}
bool ObserverChain::wants_logits() const {
  return std::ranges::any_of(observers_, [](const Observer* o) { return o->wants_logits(); });
}
bool ObserverChain::wants_scores() const {
  return std::ranges::any_of(observers_, [](const Observer* o) { return o->wants_scores(); });
}

void ObserverChain::spent(const Place& place, Duty duty, double seconds) {
  for (Observer* observer : observers_) observer->spent(place, duty, seconds);
}
void ObserverChain::codes(const CodeRows& codes) {
  for (Observer* observer : observers_) observer->codes(codes);
}
void ObserverChain::residual(const Norm& norm, std::span<const float> x) {
  for (Observer* observer : observers_) observer->residual(norm, x);
}
void ObserverChain::product(const Linear& linear, const LinearInput& input,
                            kernels::Activation activation, const float* y) {
  for (Observer* observer : observers_) observer->product(linear, input, activation, y);
}
void ObserverChain::selected(const SelectionWeights& weights, size_t rows, const int16_t* y) {
  for (Observer* observer : observers_) observer->selected(weights, rows, y);
}
void ObserverChain::scores(const AttentionMechanism& mechanism, const ScoreBlock& scores) {
  for (Observer* observer : observers_) observer->scores(mechanism, scores);
}
void ObserverChain::batch_encoded(const SourceRows& source) {
  for (Observer* observer : observers_) observer->batch_encoded(source);
}
void ObserverChain::step_done(const StepRecord& step) {
  for (Observer* observer : observers_) observer->step_done(step);
}
void ObserverChain::search_starts(const SearchOptions& options) {
  for (Observer* observer : observers_) observer->search_starts(options);
}
void ObserverChain::row_expanded(const RowExpansion& row) {
  for (Observer* observer : observers_) observer->row_expanded(row);
}
void ObserverChain::growths_ranked(size_t growths, size_t wanted) {
  for (Observer* observer : observers_) observer->growths_ranked(growths, wanted);
}
void ObserverChain::sentence_done(const SentenceOutcome& outcome) {
  for (Observer* observer : observers_) observer->sentence_done(outcome);
}

void Timed::begin(const Place& place, const std::array<DutyShare, 3>& shares) {
  place_ = place;
  shares_ = shares;
  start_ = Clock::now();
}

void Timed::end() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  size_t sum = 0;
  for (const DutyShare& share : shares_) sum += share.share;
  for (const DutyShare& share : shares_) {
    if (share.share == 0) continue;
    observer_->spent(place_, share.duty,
                     seconds * static_cast<double>(share.share) / static_cast<double>(sum));
  }
}

namespace {

using energy::raise;

uint64_t ones_in(const std::vector<uint64_t>& words) {
  uint64_t ones = 0;
  for (const uint64_t word : words) ones += static_cast<uint64_t>(std::popcount(word));
  return ones;
}

// Counts the ones of all rows, of signed codes those of all their digits; sets the features that
// are not zero in any row in `seen`.
uint64_t count_ones(const CodeRows& codes, std::vector<uint64_t>& seen) {
  const size_t words = kernels::code_words(codes.dim);
  seen.resize(words);
  uint64_t ones = 0;
  const uint64_t* bits = codes.bits;
  for (size_t row = 0; row < codes.planes() * codes.rows; ++row, bits += words) {
    for (size_t i = 0; i < words; ++i) {
      seen[i] |= bits[i];
      ones += static_cast<uint64_t>(std::popcount(bits[i]));
    }
  }
  return ones;
}

}  // namespace

energy::CodeActivity& ActivityRecorder::codes_at(const Place& place) {
  if (place.layer == 0) return activity_.cross_key;
  const Role role = role_of(place);
  auto& layers = role == Role::encoder_self   ? activity_.encoder_self
                 : role == Role::decoder_self ? activity_.decoder_self
                                              : activity_.cross_query;
  if (layers.size() < place.layer) layers.resize(place.layer);
  return layers[place.layer - 1];
}

void ActivityRecorder::codes(const CodeRows& codes) {
  energy::CodeActivity& activity = codes_at(codes.place);
  activity.rows += codes.rows;
  if (codes.place.layer == 0) {
    activity.ones += count_ones(codes, key_seen_);
    return;
  }
  seen_.clear();
  activity.ones += count_ones(codes, seen_);
  activity.distinct += ones_in(seen_);
}

void ActivityRecorder::batch_encoded(const SourceRows& source) {
  ++activity_.batches;
  activity_.sentences += source.sentences();
  activity_.source_rows += source.rows();
  for (size_t i = 0; i < source.sentences(); ++i) {
    const uint64_t length = source.length(i);
    activity_.source_pairs += length * length;
    raise(activity_.longest_source, length);
  }
  raise(activity_.most_source_rows, source.rows());
  activity_.cross_key.distinct += ones_in(key_seen_);
  key_seen_.clear();
}

uint64_t ActivityRecorder::distinct_columns(const StepScores& scores, size_t rows) {
  if (scores.own.empty()) return rows == 0 ? 0 : scores.columns;
  columns_.assign(columns_.size(), false);
  const int32_t* last = nullptr;  // Rows of one sentence share its list.
  for (const RowLogits& row : scores.own.first(rows)) {
    if (row.pieces.data() == last) continue;
    last = row.pieces.data();
    for (const int32_t piece : row.pieces) {
      const auto index = static_cast<size_t>(piece);
      if (columns_.size() <= index) columns_.resize(index + 1);
      columns_[index] = true;
    }
  }
  return static_cast<uint64_t>(std::ranges::count(columns_, true));
}

void ActivityRecorder::step_done(const StepRecord& step) {
  const uint64_t rows = step.sentences.size();
  ++activity_.steps;
  activity_.rows += rows;
  activity_.distinct_columns += distinct_columns(step.scores, rows);
  for (size_t row = 0; row < rows; ++row) {
    activity_.self_pairs += step.state.slots(row).size();
    activity_.cross_pairs += step.state.source_slots(step.sentences[row]).size();
    const uint64_t columns = step.scores.row(row).logits.size();
    activity_.columns += columns;
    raise(activity_.most_columns, columns);
  }
  raise(activity_.most_rows, rows);
  raise(activity_.most_cached_rows, step.state.rows_in_use());
  raise(activity_.most_source_rows, step.state.source_rows_in_use());
}

// Only beams are counted (docs/operation-counts.md).
void ActivityRecorder::search_starts(const SearchOptions& options) {
  if (options.sampling || options.alternatives || options.early_stopping ||
      options.coverage_penalty != 0 || options.repetition_penalty != 1) {
    throw UsageError(
        "operations can be counted for a plain beam search only; leave out sampling, alternatives, "
        "early stopping, coverage and repetition penalties");
  }
  activity_.search.divides |= options.length_penalty != 0 || options.normalize != 0;
  activity_.search.weighs_words |= options.word_penalty != 0;
}

void ActivityRecorder::row_expanded(const RowExpansion& row) {
  energy::SearchActivity& search = activity_.search;
  ++search.rows;
  search.columns += row.columns;
  search.candidates += row.candidates;
  if (row.wanted > 0) search.comparisons += energy::knockout_comparisons(row.ordinary, row.wanted);
}

void ActivityRecorder::growths_ranked(size_t growths, size_t wanted) {
  activity_.search.comparisons += energy::knockout_comparisons(growths, wanted);
}

void ActivityRecorder::sentence_done(const SentenceOutcome& outcome) {
  energy::SearchActivity& search = activity_.search;
  const uint64_t target = outcome.best_positions;
  search.comparisons += energy::knockout_comparisons(outcome.ended, outcome.n_best);
  search.ended += outcome.ended;
  search.best_rows += target;
  search.best_pairs += target * target;
  search.best_cross_pairs += target * outcome.source_positions;
}

}  // namespace eatt
