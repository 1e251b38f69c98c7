#include "runtime/layers/activity_recorder.h"

#include <algorithm>
#include <bit>

#include "kernels/selection/selection_codes.h"
#include "runtime/layers/decoder_state.h"
#include "runtime/layers/encoder.h"
#include "runtime/search/step_model.h"

namespace eatt {
namespace {

using energy::raise;

uint64_t ones_in(const std::vector<uint64_t>& words) {
  uint64_t ones = 0;
  for (const uint64_t word : words) ones += static_cast<uint64_t>(std::popcount(word));
  return ones;
}

// Ones of all rows; what is one in any of them is set in `seen`.
uint64_t count_ones(const CodeRows& codes, std::vector<uint64_t>& seen) {
  const size_t words = kernels::code_words(codes.dim);
  seen.resize(words);
  uint64_t ones = 0;
  const uint64_t* bits = codes.bits;
  for (size_t row = 0; row < codes.rows; ++row, bits += words) {
    for (size_t i = 0; i < words; ++i) {
      seen[i] |= bits[i];
      ones += static_cast<uint64_t>(std::popcount(bits[i]));
    }
  }
  return ones;
}

}  // namespace

energy::CodeActivity& ActivityRecorder::codes_of(CodePlace place, size_t layer) {
  if (place == CodePlace::cross_key) return activity_.cross_key;
  auto& layers = place == CodePlace::encoder_self   ? activity_.encoder_self
                 : place == CodePlace::decoder_self ? activity_.decoder_self
                                                    : activity_.cross_query;
  if (layers.size() <= layer) layers.resize(layer + 1);
  return layers[layer];
}

void ActivityRecorder::codes(const CodeRows& codes) {
  energy::CodeActivity& activity = codes_of(codes.place, codes.layer);
  activity.rows += codes.rows;
  if (codes.place == CodePlace::cross_key) {
    activity.ones += count_ones(codes, key_seen_);
    return;
  }
  seen_.clear();
  activity.ones += count_ones(codes, seen_);
  activity.distinct += ones_in(seen_);
}

void ActivityRecorder::source(const SourceRows& source) {
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
  needed_.assign(needed_.size(), false);
  const int32_t* last = nullptr;  // Rows of one sentence share its list.
  for (const RowLogits& row : scores.own.first(rows)) {
    if (row.pieces.data() == last) continue;
    last = row.pieces.data();
    for (const int32_t piece : row.pieces) {
      const auto index = static_cast<size_t>(piece);
      if (needed_.size() <= index) needed_.resize(index + 1);
      needed_[index] = true;
    }
  }
  return static_cast<uint64_t>(std::ranges::count(needed_, true));
}

void ActivityRecorder::step(const DecoderState& state, const StepScores& scores,
                            std::span<const int32_t> sentences) {
  const uint64_t rows = sentences.size();
  ++activity_.steps;
  activity_.rows += rows;
  activity_.self_pairs += rows * state.step();
  activity_.distinct_columns += distinct_columns(scores, rows);
  for (size_t row = 0; row < rows; ++row) {
    activity_.cross_pairs += state.source().length(static_cast<size_t>(sentences[row]));
    const uint64_t columns = scores.row(row).logits.size();
    activity_.columns += columns;
    raise(activity_.most_columns, columns);
  }
  raise(activity_.most_rows, rows);
  raise(activity_.most_cached_rows, state.rows_in_use());
}

}  // namespace eatt
