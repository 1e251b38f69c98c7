#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

// One sentence per element. References: one list per reference, each as long as the hypotheses.
using Sentences = std::span<const std::string_view>;

// The statistics of one sentence: a few numbers whose sums over any set of sentences give the score
// of that set, so that resampling does not need the text again.
class LineScorer {
 public:
  virtual ~LineScorer() = default;
  // `statistics` has the metric's width. Keeps scratch memory: one scorer per thread.
  virtual void score_line(std::string_view hypothesis, std::span<const std::string_view> references,
                          std::span<double> statistics) = 0;
};

// How a score was resampled; part of its signature.
struct Resampling {
  int resamples = 1000;
  uint64_t seed = 12345;
};

class Metric {
 public:
  virtual ~Metric() = default;
  virtual std::string_view key() const = 0;  // "bleu", "chrf", "ter"
  virtual std::string name() const = 0;      // "BLEU", "chrF2++", "TER"
  virtual size_t width() const = 0;          // Statistics per line.
  virtual std::unique_ptr<LineScorer> make_line_scorer() const = 0;
  // From sums of statistics; 0 to 100, though TER may be larger.
  virtual double score(std::span<const double> sums) const = 0;
  // sacreBLEU's signature; its version part is ours.
  virtual std::string signature(size_t references,
                                const std::optional<Resampling>& resampling = {}) const = 0;
};

// [lines, width], row after row.
struct LineStatistics {
  size_t lines = 0;
  size_t width = 0;
  std::vector<double> values;

  std::span<const double> line(size_t at) const {
    return std::span(values).subspan(at * width, width);
  }
  // Added up from the first line to the last.
  std::vector<double> sums() const;
};

// On all threads; the result does not depend on their number.
LineStatistics collect_statistics(const Metric& metric, Sentences hypotheses,
                                  std::span<const Sentences> references);

// nrefs:1|bs:1000|seed:12345|DETAILS|version:eatt-0.1.0, as sacreBLEU writes it up to |version:.
std::string make_signature(size_t references, const std::optional<Resampling>& resampling,
                           std::string_view details);

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
