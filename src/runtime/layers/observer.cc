#include "runtime/layers/observer.h"

#include <algorithm>

#include "kernels/selection/signed_codes.h"

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

}  // namespace eatt
