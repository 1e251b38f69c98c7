#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/evaluate_report.h"
#include "cli/program.h"
#include "evaluation/bleu.h"
#include "evaluation/bootstrap.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"
#include "evaluation/text_lines.h"

namespace eatt::cli {
namespace {

using namespace evaluation;

struct EvaluateOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;  // Empty: standard input.
  std::vector<std::string> paired;
  std::vector<std::string> metrics{"bleu", "chrf", "ter"};
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;
  bool confidence = false;
  Resampling resampling;
  bool sentence = false;
  bool json = false;
  int width = 1;

  std::string gold;
  std::vector<std::string> alignments;
  uint32_t gold_base = 0;
  uint32_t hypothesis_base = 0;
  bool reversed = false;
};

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
    } else if (name == "ter") {
      metrics.push_back(std::make_unique<Ter>(options.ter));
    } else {
      throw UsageError(fmt::format("--metrics has '{}'; expected bleu, chrf or ter", name));
    }
  }
  return metrics;
}

std::vector<TextLines> read_systems(const EvaluateOptions& options) {
  std::vector<TextLines> systems;
  if (options.hypotheses.empty()) {
    if (::isatty(STDIN_FILENO) == 1) {
      spdlog::info("reading hypotheses from the terminal; Ctrl-D ends them");
    }
    systems.push_back(TextLines::read_descriptor(STDIN_FILENO, "standard input"));
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
      "{}: {} lines end in ' .': they look tokenised; BLEU and TER expect plain text, else scores "
      "cannot be compared with published ones",
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

void evaluate_translations(const EvaluateOptions& options) {
  const auto metrics = make_metrics(options);
  std::vector<TextLines> references;
  for (const std::string& file : options.references) {
    references.push_back(TextLines::read_file(file));
  }
  std::vector<Sentences> reference_lines;
  for (const TextLines& reference : references) reference_lines.push_back(reference.lines());

  EvaluationReport report;
  if (options.confidence || !options.paired.empty()) report.resampling = options.resampling;
  for (const TextLines& text : read_systems(options)) {
    for (const TextLines& reference : references) expect_same_length(text, reference);
    if (options.bleu.tokenizer != Tokenizer::none) warn_if_tokenized(text);
    SystemReport system{text.name(), {}};
    for (const auto& metric : metrics) {
      ScoreReport score;
      score.metric = metric.get();
      score.signature = metric->signature(references.size(), report.resampling);
      score.statistics = collect_statistics(*metric, text.lines(), reference_lines);
      score.sums = score.statistics.sums();
      score.score = metric->score(score.sums);
      system.scores.push_back(std::move(score));
    }
    report.systems.push_back(std::move(system));
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

void evaluate_alignments(const EvaluateOptions& options) {
  const Alignments gold = read_alignments(options.gold, options.gold_base);
  std::vector<AlignmentReport> systems;
  for (const std::string& file : options.alignments) {
    Alignments alignments = read_alignments(file, options.hypothesis_base);
    if (options.reversed) reverse_links(alignments);
    systems.push_back({file, score_alignments(alignments, gold)});
  }
  print_result(options.json ? alignments_as_json(systems) : alignments_as_text(systems));
}

// What CLI11 cannot express.
void check(const CLI::App& command, const EvaluateOptions& options) {
  if (options.references.empty() == options.gold.empty()) {
    throw UsageError(
        "expected either --reference (with translations on standard input or in --hypothesis) or "
        "--alignment-reference (with --alignment)");
  }
  if (options.reversed && options.gold.empty()) {
    throw UsageError("--reversed needs --alignment-reference");
  }
  const bool resampled = options.confidence || !options.paired.empty();
  for (const char* flag : {"--confidence-n", "--seed"}) {
    if (command.count(flag) > 0 && !resampled) {
      throw UsageError(fmt::format("{} needs --confidence or --paired", flag));
    }
  }
  if (options.bleu.smooth_value && options.bleu.smoothing != Smoothing::floor &&
      options.bleu.smoothing != Smoothing::add_k) {
    throw UsageError(fmt::format("--smooth-value needs --smooth floor or add-k; found --smooth {}",
                                 smoothing_name(options.bleu.smoothing)));
  }
  if (options.sentence && (resampled || options.hypotheses.size() > 1)) {
    throw UsageError("--sentence scores one system, without --confidence and --paired");
  }
}

CLI::Option* add_files(CLI::App& command, const std::string& name, std::vector<std::string>& files,
                       const std::string& description) {
  return command.add_option(name, files, description)->option_text("FILE...");
}

void add_bleu_options(CLI::App& command, BleuOptions& bleu) {
  const std::string group = "BLEU";
  command
      .add_option_function<std::string>(
          "--tokenize",
          [&bleu](const std::string& name) { bleu.tokenizer = *tokenizer_from_name(name); },
          "13a (Western languages), intl, zh (Chinese), char, none")
      ->check(CLI::IsMember({"13a", "intl", "zh", "char", "none"}).description(""))
      ->option_text("NAME [13a]")
      ->group(group);
  command.add_flag("--lowercase", bleu.lowercase, "Ignore case")->group(group);
  command
      .add_option_function<std::string>(
          "--smooth",
          [&bleu](const std::string& name) { bleu.smoothing = *smoothing_from_name(name); },
          "exp, floor, add-k, none: for n-grams without a match")
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}).description(""))
      ->option_text("NAME [exp]")
      ->group(group);
  command.add_option("--smooth-value", bleu.smooth_value, "For floor (0.1) and add-k (1)")
      ->option_text("V")
      ->group(group);
  command
      .add_flag("--effective-order", bleu.effective_order, "Leave out n-grams longer than the text")
      ->group(group);
}

void add_chrf_options(CLI::App& command, ChrfOptions& chrf) {
  const std::string group = "chrF";
  const auto number = [&](const std::string& name, int& value, const std::string& description) {
    command.add_option(name, value, description)
        ->option_text(fmt::format("N [{}]", value))
        ->group(group);
  };
  number("--chrf-char-order", chrf.char_order, "Longest n-grams of characters");
  number("--chrf-word-order", chrf.word_order, "Longest n-grams of words; 2 for chrF++");
  number("--chrf-beta", chrf.beta, "Weight of recall");
  command.add_flag("--chrf-lowercase", chrf.lowercase, "Ignore case")->group(group);
  command.add_flag("--chrf-whitespace", chrf.whitespace, "Let n-grams contain spaces")
      ->group(group);
  command.add_flag("--chrf-eps-smoothing", chrf.eps_smoothing, "Smooth as chrF++.py does")
      ->group(group);
}

void add_ter_options(CLI::App& command, TerOptions& ter) {
  const std::string group = "TER";
  command.add_flag("--ter-case-sensitive", ter.case_sensitive, "Do not ignore case")->group(group);
  command.add_flag("--ter-normalized", ter.normalized, "Split off punctuation first")->group(group);
  command.add_flag("--ter-no-punct", ter.no_punctuation, "Remove punctuation first")->group(group);
  command
      .add_flag("--ter-asian-support", ter.asian_support,
                "With the two above: Chinese and Japanese as well")
      ->group(group);
}

void add_alignment_options(CLI::App& command, EvaluateOptions& options) {
  const std::string group = "Word alignments (AER, precision, recall)";
  auto* gold = command.add_option("--alignment-reference", options.gold,
                                  "Gold links, a sentence per line: i-j sure, ipj or i?j possible");
  gold->option_text("FILE")->group(group);
  auto* links = add_files(command, "--alignment", options.alignments, "Links to score");
  links->group(group)->needs(gold);
  gold->needs(links);
  const auto add_base = [&](const std::string& name, uint32_t& base, const std::string& what) {
    command.add_option(name, base, what)
        ->check(CLI::Range(0, 1).description(""))
        ->option_text("0|1 [0]")
        ->group(group)
        ->needs(gold);
  };
  add_base("--gold-base", options.gold_base, "Number of the first word in the gold links");
  add_base("--hypothesis-base", options.hypothesis_base, "The same in the links to score");
  command.add_flag("--reversed", options.reversed, "The links to score are target-source")
      ->group(group);
}

void add_test_options(CLI::App& command, EvaluateOptions& options) {
  const std::string group = "Significance";
  command.add_flag("--confidence", options.confidence, "95 % intervals by resampling lines")
      ->group(group);
  command.add_option("--confidence-n", options.resampling.resamples, "How often to resample")
      ->check(CLI::Range(2, 1'000'000).description(""))
      ->option_text("N [1000]")
      ->group(group);
  add_files(command, "--paired", options.paired,
            "Further systems; test all against the first by paired bootstrap")
      ->group(group);
  command.add_option("--seed", options.resampling.seed, "Of the resampling")
      ->option_text("N [12345]")
      ->group(group);
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App* command = add_command(
      app, "evaluate", "BLEU, chrF, TER and alignment error, with sacreBLEU's digits",
      "eatt translate model < test.zh | eatt evaluate --reference test.en --metrics bleu,chrf\n"
      "  eatt evaluate --alignment-reference gold.align --gold-base 1 --alignment test.align");
  const auto options = std::make_shared<EvaluateOptions>();
  add_files(*command, "--reference", options->references,
            "Reference translations, plain or gzip, a sentence per line");
  add_files(*command, "--hypothesis", options->hypotheses,
            "Translations to score, instead of standard input; several make a table");
  command->add_option("--metrics", options->metrics, "Which of bleu, chrf, ter")
      ->delimiter(',')
      ->option_text("NAME,... [bleu,chrf,ter]");
  command->add_flag("--sentence", options->sentence, "A line of scores per sentence");
  command->add_option("--width", options->width, "Decimals in text output")
      ->check(CLI::Range(0, 17).description(""))
      ->option_text("N [1]");
  command->add_flag("--json", options->json, "One JSON object, full precision");
  add_threads_option(*command);
  add_bleu_options(*command, options->bleu);
  add_chrf_options(*command, options->chrf);
  add_ter_options(*command, options->ter);
  add_test_options(*command, *options);
  add_alignment_options(*command, *options);
  command->callback([command, options] {
    check(*command, *options);
    options->gold.empty() ? evaluate_translations(*options) : evaluate_alignments(*options);
  });
}

}  // namespace eatt::cli
