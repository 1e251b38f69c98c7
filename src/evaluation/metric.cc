#include "evaluation/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"

namespace eatt::evaluation {

std::vector<double> LineStatistics::sums() const {
  std::vector<double> sums(width, 0.0);
  for (size_t i = 0; i < lines; ++i) {
    for (size_t k = 0; k < width; ++k) sums[k] += values[i * width + k];
  }
  return sums;
}

LineStatistics collect_statistics(const Metric& metric, Sentences hypotheses,
                                  std::span<const Sentences> references) {
  expects(!references.empty(), "a score needs a reference");
  for (const Sentences& reference : references) {
    expects(reference.size() == hypotheses.size(), "a reference line for every hypothesis line");
  }
  LineStatistics statistics{hypotheses.size(), metric.width(), {}};
  statistics.values.resize(statistics.lines * statistics.width);

  constexpr size_t kBlock =
      128;  // Lines: enough to make the cost of a scorer's scratch memory negligible.
  parallel_for((statistics.lines + kBlock - 1) / kBlock, [&](size_t block) {
    const std::unique_ptr<LineScorer> scorer = metric.make_line_scorer();
    std::vector<std::string_view> line_references(references.size());
    const size_t end = std::min(statistics.lines, (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) {
      for (size_t r = 0; r < references.size(); ++r) line_references[r] = references[r][i];
      scorer->score_line(
          hypotheses[i], line_references,
          std::span(statistics.values).subspan(i * statistics.width, statistics.width));
    }
  });
  return statistics;
}

std::string make_signature(size_t references, const std::optional<Resampling>& resampling,
                           std::string_view details) {
  std::string text = fmt::format("nrefs:{}|", references);
  if (resampling) text += fmt::format("bs:{}|seed:{}|", resampling->resamples, resampling->seed);
  return text + fmt::format("{}|version:eatt-{}", details, EATT_VERSION);
}

namespace {

// How often each line is drawn.
void draw(uint64_t seed, uint64_t index, std::span<uint32_t> times) {
  Random random = Random::stream(seed, index);
  std::fill(times.begin(), times.end(), 0);
  for (size_t i = 0; i < times.size(); ++i) ++times[random.below(times.size())];
}

double score_draw(const ResampledScore& score, std::span<const uint32_t> times,
                  std::vector<double>& sums) {
  const size_t width = score.statistics->width;
  sums.assign(width, 0.0);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] == 0) continue;
    const double* line = score.statistics->values.data() + i * width;
    for (size_t k = 0; k < width; ++k) sums[k] += times[i] * line[k];
  }
  return score.metric->score(sums);
}

}  // namespace

std::vector<std::vector<double>> resample(std::span<const ResampledScore> scores,
                                          const Resampling& resampling) {
  expects(!scores.empty(), "something to resample");
  const size_t lines = scores.front().statistics->lines;
  const auto draws = static_cast<size_t>(resampling.resamples);
  std::vector<std::vector<double>> result(scores.size(), std::vector<double>(draws));
  constexpr size_t kBlock = 16;  // Draws that share scratch memory.
  parallel_for((draws + kBlock - 1) / kBlock, [&](size_t block) {
    std::vector<uint32_t> times(lines);
    std::vector<double> sums;
    for (size_t k = block * kBlock; k < std::min(draws, (block + 1) * kBlock); ++k) {
      draw(resampling.seed, k, times);
      for (size_t s = 0; s < scores.size(); ++s) result[s][k] = score_draw(scores[s], times, sums);
    }
  });
  return result;
}

Interval confidence_interval(std::vector<double> scores) {
  expects(!scores.empty(), "scores to take an interval of");
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;  // 2.5 % on each side.
  const double mean =
      std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  return {mean, 0.5 * (scores[scores.size() - cut - 1] - scores[cut])};
}

double paired_p_value(std::span<const double> baseline, std::span<const double> system,
                      double difference) {
  std::vector<double> differences(baseline.size());
  for (size_t k = 0; k < baseline.size(); ++k) {
    differences[k] = std::abs(system[k] - baseline[k]);
  }
  const auto draws = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / draws;
  const double real = std::abs(difference);
  const auto larger = std::count_if(differences.begin(), differences.end(),
                                    [&](double d) { return d - mean >= real; });
  return (static_cast<double>(larger) + 1) / (draws + 1);
}

}  // namespace eatt::evaluation
