#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "evaluation/alignments.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/metric.h"
#include "evaluation/ter.h"

namespace eatt::cli {

inline constexpr std::array<std::string_view, 3> kMetricNames = {"bleu", "chrf", "ter"};

// What `eatt evaluate` was asked for.
struct EvaluateOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;  // Empty: standard input.
  std::vector<std::string> paired;
  std::vector<std::string> metrics{kMetricNames.begin(), kMetricNames.end()};
  evaluation::BleuOptions bleu;
  evaluation::ChrfOptions chrf;
  evaluation::TerOptions ter;
  bool confidence = false;
  evaluation::Resampling resampling;
  bool sentence = false;
  bool json = false;
  int width = 1;

  std::string gold;  // Not empty: links are scored, not translations.
  std::vector<std::string> alignments;
  uint32_t gold_base = 0;
  uint32_t hypothesis_base = 0;
  bool reversed = false;
};

void add_evaluate_options(Command& command, EvaluateOptions& options);

// Throws a UsageError for combinations that make no sense. Call after parsing.
void check_evaluate_options(const Command& command, EvaluateOptions& options);

// One metric on one system.
struct ScoreReport {
  const evaluation::Metric* metric = nullptr;
  std::string signature;
  evaluation::LineStatistics statistics;
  std::vector<double> sums;
  double score = 0;
  std::optional<evaluation::Interval> interval;
  std::optional<double> p_value;  // Against the first system.
};

struct SystemReport {
  std::string name;
  std::vector<ScoreReport> scores;  // One per metric, in the order asked for.
};

struct EvaluationReport {
  std::vector<SystemReport> systems;  // At least one; comparisons are with the first.
  std::optional<evaluation::Resampling> resampling;
};

// sacreBLEU's line per metric for one system, a table for several.
std::string report_as_text(const EvaluationReport& report, int decimals);
// {"bleu": {"score": …, "signature": …, …}, …} of the first system; "systems" if there are several.
std::string report_as_json(const EvaluationReport& report);

// A line per sentence, the scores of one system separated by tabs.
std::string sentences_as_text(const SystemReport& system, int decimals);
// {"bleu": {"scores": [ … ], "signature": …}, …}
std::string sentences_as_json(const SystemReport& system);

struct AlignmentReport {
  std::string name;
  evaluation::AlignmentScore score;
};

std::string alignments_as_text(const std::vector<AlignmentReport>& systems);
// {"aer": …, "precision": …, "recall": …, "links": …} of the first; "systems" if there are several.
std::string alignments_as_json(const std::vector<AlignmentReport>& systems);

}  // namespace eatt::cli
