#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "base/threads.h"
#include "evaluation/metric.h"

namespace eatt::evaluation {
namespace {

// The mean of one number per line: what resampling does to it is in every textbook.
class MeanMetric : public Metric {
 public:
  std::string_view key() const override { return "mean"; }
  std::string name() const override { return "mean"; }
  size_t width() const override { return 2; }
  std::unique_ptr<LineScorer> make_line_scorer() const override { return nullptr; }
  double score(std::span<const double> sums) const override { return sums[0] / sums[1]; }
  std::string signature(size_t, const std::optional<Resampling>&) const override { return {}; }
};

LineStatistics numbers(size_t lines, double shift, uint64_t seed) {
  LineStatistics statistics{lines, 2, {}};
  Random random(seed);
  for (size_t i = 0; i < lines; ++i) {
    statistics.values.push_back(random.uniform() + shift);
    statistics.values.push_back(1);
  }
  return statistics;
}

std::vector<std::vector<double>> draws(const std::vector<const LineStatistics*>& systems,
                                       const Resampling& resampling = {}) {
  static const MeanMetric metric;
  std::vector<ResampledScore> scores;
  for (const LineStatistics* system : systems) scores.push_back({&metric, system});
  return resample(scores, resampling);
}

TEST(Bootstrap, IntervalIsTheTextbooks) {
  const LineStatistics uniform = numbers(2000, 0, 1);
  const Interval interval = confidence_interval(draws({&uniform}).front());
  const double mean = MeanMetric().score(uniform.sums());
  // The mean of 2000 uniform numbers has a standard deviation of 1 / sqrt(12 · 2000).
  const double expected = 1.96 / std::sqrt(12.0 * 2000);
  EXPECT_NEAR(interval.mean, mean, expected / 5);
  EXPECT_NEAR(interval.half_width, expected, expected / 10);  // 1000 draws.
}

TEST(Bootstrap, SameSeedSameDrawsOnAnyNumberOfThreads) {
  const LineStatistics system = numbers(500, 0, 2);
  set_thread_count(1);
  const auto one = draws({&system});
  set_thread_count(5);
  const auto five = draws({&system});
  set_thread_count(0);
  EXPECT_EQ(one, five);
  EXPECT_NE(one, draws({&system}, {.seed = 99}));
}

TEST(Bootstrap, AllSystemsSeeTheSameDraws) {
  const LineStatistics system = numbers(100, 0, 3);
  LineStatistics better = system;
  for (size_t i = 0; i < better.values.size(); i += 2) better.values[i] += 1;
  const auto scores = draws({&system, &better}, {.resamples = 50});
  for (size_t k = 0; k < 50; ++k) EXPECT_NEAR(scores[1][k] - scores[0][k], 1, 1e-12);
}

TEST(Bootstrap, IntervalLeavesOutTheOuterFortieths) {
  std::vector<double> scores;
  for (int i = 80; i > 0; --i) scores.push_back(i);  // 1 … 80, two on each side are left out.
  const Interval interval = confidence_interval(scores);
  EXPECT_EQ(interval.mean, 40.5);
  EXPECT_EQ(interval.half_width, (78 - 3) / 2.0);
  EXPECT_EQ(confidence_interval({5}).half_width, 0);
}

double p_value(const LineStatistics& baseline, const LineStatistics& system) {
  const auto scores = draws({&baseline, &system});
  const MeanMetric metric;
  return paired_p_value(scores[0], scores[1],
                        metric.score(system.sums()) - metric.score(baseline.sums()));
}

TEST(Bootstrap, ASystemDoesNotDifferFromItself) {
  const LineStatistics system = numbers(300, 0, 4);
  EXPECT_EQ(p_value(system, system), 1);
}

TEST(Bootstrap, AClearDifferenceIsSignificantAndNoiseIsNot) {
  const LineStatistics baseline = numbers(1000, 0, 5);
  EXPECT_LT(p_value(baseline, numbers(1000, 0.2, 6)), 0.01);
  EXPECT_GT(p_value(baseline, numbers(1000, 0, 10)), 0.05);
}

TEST(Bootstrap, PValueCountsDifferencesAsLargeAsTheRealOne) {
  // Differences 1, 1, 1, 5: mean 2, centred -1, -1, -1, 3; one reaches 2.5.
  const std::vector<double> baseline{0, 0, 0, 0};
  const std::vector<double> system{1, -1, 1, 5};
  EXPECT_EQ(paired_p_value(baseline, system, -2.5), 2.0 / 5);
  EXPECT_EQ(paired_p_value(baseline, system, 3.5), 1.0 / 5);
}

}  // namespace
}  // namespace eatt::evaluation
