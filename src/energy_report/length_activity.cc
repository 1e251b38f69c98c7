#include "energy_report/length_activity.h"

#include <algorithm>
#include <cmath>

namespace eatt::energy {
namespace {

// Codes of `calls` calls with `rows` rows each, if every feature is one with the same probability
// everywhere.
CodeActivity codes_like(const ModelAccount& account, const CodeActivity& codes, uint64_t calls,
                        uint64_t rows) {
  if (codes.rows == 0) return {};
  const double density = density_of(codes, account.architecture);
  const double features = account.architecture.model_dim;
  const double seen = 1 - std::pow(1 - density, static_cast<double>(rows));
  const auto whole = [](double value) { return static_cast<uint64_t>(std::llround(value)); };
  return {.rows = calls * rows,
          .ones = whole(density * features * static_cast<double>(calls * rows)),
          .distinct = whole(seen * features * static_cast<double>(calls))};
}

std::vector<CodeActivity> layers_like(const ModelAccount& account,
                                      const std::vector<CodeActivity>& layers, uint64_t calls,
                                      uint64_t rows) {
  std::vector<CodeActivity> result;
  for (const CodeActivity& codes : layers)
    result.push_back(codes_like(account, codes, calls, rows));
  return result;
}

}  // namespace

Activity activity_of_length(const ModelAccount& account, uint64_t length) {
  const Activity& own = account.activity;
  const uint64_t columns = own.rows == 0 ? 0 : own.columns / own.rows;
  Activity activity;
  activity.sentences = activity.batches = 1;
  activity.source_rows = activity.most_source_rows = activity.longest_source = length;
  activity.source_pairs = length * length;
  activity.steps = activity.rows = activity.most_cached_rows = length;
  activity.self_pairs = length * (length + 1) / 2;
  activity.cross_pairs = length * length;
  activity.columns = activity.distinct_columns = columns * length;
  activity.most_rows = 1;
  activity.most_columns = columns;
  activity.encoder_self = layers_like(account, own.encoder_self, 1, length);
  activity.decoder_self = layers_like(account, own.decoder_self, length, 1);
  activity.cross_query = layers_like(account, own.cross_query, length, 1);
  activity.cross_key = codes_like(account, own.cross_key, 1, length);
  activity.search = {.rows = length,
                     .columns = columns * length,
                     .candidates = 2 * length,  // The best piece and the end marker.
                     .comparisons = columns * length,
                     .ended = 1,
                     .best_rows = length,
                     .best_pairs = length * length,
                     .best_cross_pairs = length * length};
  return activity;
}

}  // namespace eatt::energy
