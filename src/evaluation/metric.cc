#include "evaluation/metric.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
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

}  // namespace eatt::evaluation
