#include "cli/evaluate/evaluate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "evaluation/metric.h"
#include "evaluation/text_lines.h"

namespace eatt::cli {
namespace {

using namespace evaluation;

std::vector<std::unique_ptr<Metric>> make_metrics(const EvaluateOptions& options) {
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const std::string& name : options.metrics) {
    const auto same = [&](const auto& metric) { return metric->key() == name; };
    if (std::any_of(metrics.begin(), metrics.end(), same)) continue;
    if (name == "bleu") {
      BleuOptions bleu = options.bleu;
      // As sacreBLEU does: a sentence may be shorter than four words.
      bleu.effective_order = bleu.effective_order || options.sentence;
      metrics.push_back(std::make_unique<Bleu>(bleu));
    } else if (name == "chrf") {
      metrics.push_back(std::make_unique<Chrf>(options.chrf));
    } else {
      metrics.push_back(std::make_unique<Ter>(options.ter));
    }
  }
  return metrics;
}

std::vector<TextLines> read_systems(const EvaluateOptions& options) {
  std::vector<TextLines> systems;
  if (options.hypotheses.empty()) {
    if (options.references.size() > 1 && ::isatty(STDIN_FILENO) == 1) {
      throw UsageError(fmt::format(
          "--reference has {} files and there is nothing to score; did you mean --hypothesis {}? "
          "(--hypothesis - reads the terminal)",
          options.references.size(), options.references.back()));
    }
    systems.push_back(TextLines::read_file("-"));
  }
  for (const auto* files : {&options.hypotheses, &options.paired}) {
    for (const std::string& file : *files) systems.push_back(TextLines::read_file(file));
  }
  return systems;
}

void warn_if_tokenized(const TextLines& text) {
  const auto tokenized = std::count_if(text.lines().begin(), text.lines().end(),
                                       [](std::string_view line) { return line.ends_with(" ."); });
  if (tokenized < 100) return;
  spdlog::warn(
      "{}: {} lines end in ' .', so the text looks tokenized; BLEU and TER expect plain text, or "
      "scores cannot be compared with published ones (--tokenize none if the text is meant to be "
      "tokenized)",
      text.name(), format_count(static_cast<uint64_t>(tokenized)));
}

void add_resampled(EvaluationReport& report, bool paired) {
  std::vector<ResampledScore> scores;
  for (const SystemReport& system : report.systems) {
    for (const ScoreReport& score : system.scores) {
      scores.push_back({score.metric, &score.statistics});
    }
  }
  const auto draws = resample(scores, *report.resampling);
  const size_t metrics = report.systems.front().scores.size();
  for (size_t i = 0; i < scores.size(); ++i) {
    ScoreReport& score = report.systems[i / metrics].scores[i % metrics];
    score.interval = confidence_interval(draws[i]);
    if (!paired || i < metrics) continue;
    const ScoreReport& baseline = report.systems.front().scores[i % metrics];
    score.p_value = paired_p_value(draws[i % metrics], draws[i], score.score - baseline.score);
  }
}

SystemReport score_system(const TextLines& text, std::span<const Sentences> references,
                          const std::vector<std::unique_ptr<Metric>>& metrics,
                          const std::optional<Resampling>& resampling) {
  SystemReport system{text.name(), {}};
  for (const auto& metric : metrics) {
    ScoreReport score;
    score.metric = metric.get();
    score.signature = metric->signature(references.size(), resampling);
    score.statistics = collect_statistics(*metric, text.lines(), references);
    score.sums = score.statistics.sums();
    score.score = metric->score(score.sums);
    system.scores.push_back(std::move(score));
  }
  return system;
}

void evaluate_translations(const EvaluateOptions& options) {
  const auto metrics = make_metrics(options);
  std::vector<TextLines> references;
  for (const std::string& file : options.references) {
    references.push_back(TextLines::read_file(file));
  }
  std::vector<Sentences> reference_lines;
  for (const TextLines& reference : references) reference_lines.push_back(reference.lines());
  const std::vector<TextLines> systems = read_systems(options);
  for (const TextLines& system : systems) {
    for (const TextLines& reference : references) expect_same_length(system, reference);
    if (options.bleu.tokenizer != Tokenizer::none) warn_if_tokenized(system);
  }

  EvaluationReport report;
  if (options.confidence || !options.paired.empty()) report.resampling = options.resampling;
  for (const TextLines& system : systems) {
    report.systems.push_back(score_system(system, reference_lines, metrics, report.resampling));
  }
  if (options.sentence) {
    const SystemReport& system = report.systems.front();
    print_result(options.json ? sentences_as_json(system)
                              : sentences_as_text(system, options.width));
    return;
  }
  if (report.resampling) add_resampled(report, !options.paired.empty());
  print_result(options.json ? report_as_json(report) : report_as_text(report, options.width));
}

// Some word of some sentence is the first one, so links without any 0 are most likely counted from
// 1.
void warn_if_counted_from_one(const Alignments& alignments, const char* option) {
  size_t links = 0;
  for (const auto& sentence : alignments.sentences) {
    for (const AlignmentLink& link : sentence) {
      if (link.source == 0 || link.target == 0) return;
      ++links;
    }
  }
  if (links == 0) return;
  spdlog::warn("{}: no link has a word 0, so words seem to be counted from 1; if so, add {}",
               alignments.name, option);
}

void evaluate_alignments(const EvaluateOptions& options) {
  const Alignments gold = read_alignments(options.gold, options.gold_base);
  std::vector<AlignmentReport> systems;
  for (const std::string& file : options.alignments) {
    Alignments alignments = read_alignments(file, options.hypothesis_base);
    if (options.hypothesis_base == 0) warn_if_counted_from_one(alignments, "--hypothesis-base 1");
    if (options.reversed) reverse_links(alignments);
    systems.push_back({file, score_alignments(alignments, gold)});
  }
  if (options.gold_base == 0) warn_if_counted_from_one(gold, "--gold-base 1");
  print_result(options.json ? alignments_as_json(systems) : alignments_as_text(systems));
}

}  // namespace

void add_evaluate_command(Command& app) {
  Command& command = app.add_command(
      "evaluate",
      "Score translations: BLEU, chrF and TER as sacreBLEU computes them, alignment error",
      "eatt translate model < test.zh | eatt evaluate --reference test.en --metrics bleu,chrf\n"
      "  eatt evaluate --alignment-reference gold.align --gold-base 1 --alignment test.align");
  const auto options = std::make_shared<EvaluateOptions>();
  add_evaluate_options(command, *options);
  command.on_run([&command, options] {
    check_evaluate_options(command, *options);
    options->gold.empty() ? evaluate_translations(*options) : evaluate_alignments(*options);
  });
}

}  // namespace eatt::cli
