#include "evaluation/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/unicode.h"
#include "evaluation/metric.h"
#include "evaluation/ngram_matcher.h"

namespace eatt::evaluation {
namespace {

constexpr std::string_view kSmoothingNames[] = {"none", "floor", "add-k", "exp"};

size_t closest_length(size_t hypothesis, const std::vector<std::vector<uint32_t>>& references) {
  const auto distance = [&](size_t length) {
    return length > hypothesis ? length - hypothesis : hypothesis - length;
  };
  size_t closest = references.front().size();
  for (const std::vector<uint32_t>& reference : references) {
    const size_t length = reference.size();
    if (distance(length) < distance(closest) ||
        (distance(length) == distance(closest) && length < closest)) {
      closest = length;
    }
  }
  return closest;
}

class BleuLineScorer : public LineScorer {
 public:
  explicit BleuLineScorer(const BleuOptions& options) : options_(options) {}

  void score_line(std::string_view hypothesis, std::span<const std::string_view> references,
                  std::span<double> statistics) override {
    ids_.clear();
    texts_.resize(references.size() + 1);
    references_.resize(references.size());
    symbols_.clear();
    for (size_t r = 0; r < references.size(); ++r) {
      words_of(references[r], texts_[r], references_[r]);
      symbols_.push_back(references_[r]);
    }
    words_of(hypothesis, texts_.back(), hypothesis_);

    std::array<uint32_t, kBleuOrder> counts;
    matcher_.match(hypothesis_, symbols_, counts);
    const size_t length = hypothesis_.size();
    statistics[0] = static_cast<double>(length);
    statistics[1] = static_cast<double>(closest_length(length, references_));
    for (size_t n = 0; n < kBleuOrder; ++n) {
      statistics[2 + n] = counts[n];
      statistics[2 + kBleuOrder + n] = static_cast<double>(length > n ? length - n : 0);
    }
  }

 private:
  // The words point into these until the line is scored.
  struct Text {
    std::string lowercased;
    std::string scratch;
  };

  void words_of(std::string_view line, Text& text, std::vector<uint32_t>& ids) {
    if (options_.lowercase) {
      text.lowercased.clear();
      append_python_lower_case(line, text.lowercased);
      line = text.lowercased;
    }
    words_.clear();
    tokenize(options_.tokenizer, strip_right(line), text.scratch, words_);
    ids_.ids(words_, ids);
  }

  BleuOptions options_;
  std::vector<Text> texts_;
  std::vector<std::string_view> words_;
  WordIds ids_;
  std::vector<uint32_t> hypothesis_;
  std::vector<std::vector<uint32_t>> references_;
  std::vector<Symbols> symbols_;
  NgramMatcher matcher_;
};

double default_smooth_value(Smoothing smoothing) {
  return smoothing == Smoothing::floor ? 0.1 : 1.0;
}

// The logarithm; for 0 a number so low that the score becomes 0.
double floored_log(double x) { return x == 0.0 ? -9999999999.0 : std::log(x); }

}  // namespace

std::string_view smoothing_name(Smoothing smoothing) {
  return kSmoothingNames[static_cast<size_t>(smoothing)];
}

double BleuScore::ratio() const {
  if (reference_length == 0) return 0;
  return static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

std::string BleuScore::details() const {
  return fmt::format(
      "{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
      precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio(),
      hypothesis_length, reference_length);
}

Bleu::Bleu(const BleuOptions& options) : options_(options) {
  if (!options_.smooth_value) options_.smooth_value = default_smooth_value(options_.smoothing);
  if (!(*options_.smooth_value >= 0) || std::isinf(*options_.smooth_value)) {
    throw UsageError(fmt::format("--smooth-value is {}; expected a number of at least 0",
                                 *options_.smooth_value));
  }
}

std::unique_ptr<LineScorer> Bleu::make_line_scorer() const {
  return std::make_unique<BleuLineScorer>(options_);
}

// The order of the floating-point operations is sacreBLEU's, so that all digits agree.
BleuScore Bleu::evaluate(std::span<const double> sums) const {
  BleuScore result;
  result.hypothesis_length = static_cast<uint64_t>(sums[0]);
  result.reference_length = static_cast<uint64_t>(sums[1]);
  if (sums[0] < sums[1]) {
    result.brevity_penalty = sums[0] > 0 ? std::exp(1 - sums[1] / sums[0]) : 0.0;
  }
  bool any_match = false;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    result.counts[n] = static_cast<uint64_t>(sums[2 + n]);
    result.totals[n] = static_cast<uint64_t>(sums[2 + kBleuOrder + n]);
    any_match = any_match || result.counts[n] > 0;
  }
  if (!any_match) return result;

  const double value = *options_.smooth_value;
  double halvings = 1;
  size_t orders = kBleuOrder;
  for (size_t n = 0; n < kBleuOrder; ++n) {
    double count = sums[2 + n];
    double total = sums[2 + kBleuOrder + n];
    if (options_.smoothing == Smoothing::add_k && n > 0) {
      count += value;
      total += value;
    }
    if (total == 0) break;
    if (options_.effective_order) orders = n + 1;
    if (count != 0) {
      result.precisions[n] = 100.0 * count / total;
    } else if (options_.smoothing == Smoothing::exp) {
      halvings *= 2;
      result.precisions[n] = 100.0 / (halvings * total);
    } else if (options_.smoothing == Smoothing::floor) {
      result.precisions[n] = 100.0 * value / total;
    }
  }
  double logs = 0;
  for (size_t n = 0; n < orders; ++n) logs += floored_log(result.precisions[n]);
  result.score = result.brevity_penalty * std::exp(logs / static_cast<double>(orders));
  return result;
}

std::string Bleu::signature(size_t references, const std::optional<Resampling>& resampling) const {
  std::string smooth(smoothing_name(options_.smoothing));
  if (options_.smoothing == Smoothing::floor || options_.smoothing == Smoothing::add_k) {
    smooth += fmt::format("[{:.2f}]", *options_.smooth_value);
  }
  return make_signature(
      references, resampling,
      fmt::format("case:{}|eff:{}|tok:{}|smooth:{}", options_.lowercase ? "lc" : "mixed",
                  options_.effective_order ? "yes" : "no", tokenizer_name(options_.tokenizer),
                  smooth));
}

BleuScore corpus_bleu(Sentences hypotheses, std::span<const Sentences> references,
                      const BleuOptions& options) {
  const Bleu bleu(options);
  return bleu.evaluate(collect_statistics(bleu, hypotheses, references).sums());
}

}  // namespace eatt::evaluation
