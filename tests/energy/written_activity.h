#pragma once

#include "energy/activity.h"

namespace eatt::energy::testing {

// One sentence of `source` positions, translated greedily to `target` positions, by a model of
// `layers` layers on each side and so many columns, with `ones` ones in every code.
inline Activity written_activity(uint64_t source, uint64_t target, size_t layers, uint64_t columns,
                                 uint64_t ones) {
  Activity x;
  x.sentences = x.batches = 1;
  x.source_rows = x.most_source_rows = x.longest_source = source;
  x.source_pairs = source * source;
  x.steps = x.rows = x.most_cached_rows = target;
  x.most_rows = 1;
  x.self_pairs = target * (target + 1) / 2;
  x.cross_pairs = source * target;
  x.columns = x.distinct_columns = target * columns;
  x.most_columns = columns;
  x.encoder_self.assign(layers, {.rows = source, .ones = source * ones, .distinct = ones});
  x.decoder_self.assign(layers, {.rows = target, .ones = target * ones, .distinct = target * ones});
  x.cross_query = x.decoder_self;
  x.cross_key = x.encoder_self.front();
  x.search = {.rows = target,
              .columns = target * columns,
              .candidates = 2 * target,
              .comparisons = target * columns,
              .ended = 1,
              .best_rows = target,
              .best_pairs = target * target,
              .best_cross_pairs = source * target};
  return x;
}

}  // namespace eatt::energy::testing
