#include "energy/activity.h"

#include <algorithm>
#include <bit>

namespace eatt::energy {
namespace {

void add_layers(std::vector<CodeActivity>& to, const std::vector<CodeActivity>& other) {
  to.resize(std::max(to.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) to[i] += other[i];
}

}  // namespace

CodeActivity& CodeActivity::operator+=(const CodeActivity& other) {
  rows += other.rows;
  ones += other.ones;
  distinct += other.distinct;
  return *this;
}

SearchActivity& SearchActivity::operator+=(const SearchActivity& other) {
  rows += other.rows;
  columns += other.columns;
  candidates += other.candidates;
  comparisons += other.comparisons;
  ended += other.ended;
  best_rows += other.best_rows;
  best_pairs += other.best_pairs;
  best_cross_pairs += other.best_cross_pairs;
  divides |= other.divides;
  weighs_words |= other.weighs_words;
  return *this;
}

Activity& Activity::operator+=(const Activity& other) {
  sentences += other.sentences;
  batches += other.batches;
  source_rows += other.source_rows;
  source_pairs += other.source_pairs;
  steps += other.steps;
  rows += other.rows;
  self_pairs += other.self_pairs;
  cross_pairs += other.cross_pairs;
  columns += other.columns;
  distinct_columns += other.distinct_columns;
  add_layers(encoder_self, other.encoder_self);
  add_layers(decoder_self, other.decoder_self);
  add_layers(cross_query, other.cross_query);
  cross_key += other.cross_key;
  search += other.search;
  raise(most_source_rows, other.most_source_rows);
  raise(longest_source, other.longest_source);
  raise(most_rows, other.most_rows);
  raise(most_columns, other.most_columns);
  raise(most_cached_rows, other.most_cached_rows);
  return *this;
}

uint64_t knockout_comparisons(uint64_t count, uint64_t wanted) {
  wanted = std::min(wanted, count);
  if (wanted == 0) return 0;
  const auto rounds = static_cast<uint64_t>(std::bit_width(count - 1));  // ⌈log₂ count⌉
  return count - 1 + (wanted - 1) * rounds;
}

}  // namespace eatt::energy
