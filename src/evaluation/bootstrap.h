#pragma once

#include <span>
#include <vector>

#include "evaluation/metric.h"

namespace eatt::evaluation {

// One metric on one system.
struct ResampledScore {
  const Metric* metric;
  const LineStatistics* statistics;
};

// Draws as many lines as there are, with replacement, `resamples` times, and scores each draw.
// result[s][k]: scores[s] on draw k. All see the same draws, so systems can be compared pair by
// pair. Depends on the seed, not on the number of threads.
std::vector<std::vector<double>> resample(std::span<const ResampledScore> scores,
                                          const Resampling& resampling);

struct Interval {
  double mean = 0;
  double half_width = 0;  // Of the middle 95 %.
};
Interval confidence_interval(std::vector<double> scores);

// Paired bootstrap (Koehn 2004): the probability of a difference as large as the real one between
// two systems that are equally good. `difference` is between their real scores.
double paired_p_value(std::span<const double> baseline, std::span<const double> system,
                      double difference);

}  // namespace eatt::evaluation
