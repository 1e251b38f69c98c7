#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "cli/evaluate/evaluate.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

using namespace evaluation;

constexpr char kAlignmentGroup[] = "Word alignments (AER, precision, recall)";

Option add_files(Command& command, const std::string& name, std::vector<std::string>& files,
                 const std::string& description) {
  return command.add_option(name, files, description).shows("FILE...").reads();
}

void add_bleu_options(Command& command, BleuOptions& bleu) {
  const std::string group = "BLEU";
  command
      .add_choice("--tokenize", bleu.tokenizer,
                  {{"13a", Tokenizer::v13a},
                   {"intl", Tokenizer::intl},
                   {"zh", Tokenizer::zh},
                   {"char", Tokenizer::character},
                   {"none", Tokenizer::none}},
                  "Tokenizer: 13a for Western languages, zh for Chinese")
      .group(group);
  command.add_flag("--lowercase", bleu.lowercase, "Ignore case").group(group);
  command
      .add_choice("--smooth", bleu.smoothing,
                  {{"exp", Smoothing::exp},
                   {"floor", Smoothing::floor},
                   {"add-k", Smoothing::add_k},
                   {"none", Smoothing::none}},
                  "How to smooth n-grams without a match")
      .group(group);
  command.add_option("--smooth-value", bleu.smooth_value, "Value for floor and add-k")
      .shows("V")
      .default_is("0.1 for floor, 1 for add-k")
      .group(group);
  command
      .add_flag("--effective-order", bleu.effective_order, "Leave out n-grams longer than the text")
      .group(group);
}

void add_chrf_options(Command& command, ChrfOptions& chrf) {
  const std::string group = "chrF";
  const auto number = [&](const std::string& name, int& value, const std::string& description) {
    command.add_option(name, value, description).shows("N").group(group);
  };
  number("--chrf-char-order", chrf.char_order, "Longest n-grams of characters");
  number("--chrf-word-order", chrf.word_order, "Longest n-grams of words; 2 for chrF++");
  number("--chrf-beta", chrf.beta, "Weight of recall");
  command.add_flag("--chrf-lowercase", chrf.lowercase, "Ignore case").group(group);
  command.add_flag("--chrf-whitespace", chrf.whitespace, "Let n-grams contain spaces").group(group);
  command.add_flag("--chrf-eps-smoothing", chrf.eps_smoothing, "Smooth as chrF++.py does")
      .group(group);
}

void add_ter_options(Command& command, TerOptions& ter) {
  const std::string group = "TER";
  command.add_flag("--ter-case-sensitive", ter.case_sensitive, "Do not ignore case").group(group);
  command.add_flag("--ter-normalized", ter.normalized, "Split off punctuation first").group(group);
  command.add_flag("--ter-no-punct", ter.no_punctuation, "Remove punctuation first").group(group);
  command
      .add_flag("--ter-asian-support", ter.asian_support,
                "Apply the two options above to Chinese and Japanese as well")
      .group(group);
}

void add_alignment_options(Command& command, EvaluateOptions& options) {
  const std::string group = kAlignmentGroup;
  Option gold =
      command.add_option("--alignment-reference", options.gold,
                         "Gold links, a sentence per line: i-j sure, ipj or i?j possible");
  gold.shows("FILE").group(group).reads();
  Option links = add_files(command, "--alignment", options.alignments, "Links to score");
  links.group(group).needs(gold);
  gold.needs(links);
  const auto add_base = [&](const std::string& name, uint32_t& base, const std::string& what) {
    command.add_option(name, base, what, Range{0, 1}).shows("0|1").group(group).needs(gold);
  };
  add_base("--gold-base", options.gold_base, "Number of the first word in the gold links");
  add_base("--hypothesis-base", options.hypothesis_base,
           "Number of the first word in the links to score");
  command.add_flag("--reversed", options.reversed, "The links to score are written target-source")
      .group(group);
}

void add_test_options(Command& command, EvaluateOptions& options) {
  const std::string group = "Significance";
  command.add_flag("--confidence", options.confidence, "95 % intervals by resampling lines")
      .group(group);
  command
      .add_option("--confidence-n", options.resampling.resamples, "How often to resample",
                  Range{2, 1'000'000})
      .shows("N")
      .group(group);
  add_files(command, "--paired", options.paired,
            "More systems; test each against the first by paired bootstrap")
      .group(group);
  command.add_option("--seed", options.resampling.seed, "Seed for resampling")
      .shows("N")
      .group(group);
}

// An option of a metric that is not computed would say nothing.
void expect_chosen_metrics(const Command& command, const EvaluateOptions& options) {
  for (const Option& option : command.given_options()) {
    std::string metric = option.heading();
    std::ranges::transform(metric, metric.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool is_of_metric = metric == "bleu" || metric == "chrf" || metric == "ter";
    if (!is_of_metric || std::ranges::find(options.metrics, metric) != options.metrics.end()) {
      continue;
    }
    throw UsageError(
        fmt::format("{} has no effect on --metrics {}; leave it out, or add {} to the metrics",
                    option.name(), fmt::join(options.metrics, ","), metric));
  }
  if (options.ter.asian_support && !options.ter.normalized && !options.ter.no_punctuation) {
    throw UsageError("--ter-asian-support needs --ter-normalized or --ter-no-punct");
  }
}

void expect_one_standard_input(const EvaluateOptions& options) {
  int times = 0;
  for (const auto* files : {&options.references, &options.hypotheses, &options.paired}) {
    times += static_cast<int>(std::ranges::count(*files, "-"));
  }
  const bool is_hypothesis = options.hypotheses.empty() && options.gold.empty();
  if (times + (is_hypothesis ? 1 : 0) > 1) {
    throw UsageError("standard input (-) can be given only once");
  }
}

void expect_alignment_options_only(const Command& command) {
  for (const Option& option : command.given_options()) {
    const bool known = option.heading() == kAlignmentGroup || option.name() == "--json" ||
                       option.name() == "--cpu-threads";
    if (known) continue;
    throw UsageError(
        fmt::format("{} has no effect on word alignments; leave it out", option.name()));
  }
}

}  // namespace

void add_evaluate_options(Command& command, EvaluateOptions& options) {
  add_files(command, "--reference", options.references,
            "Reference translations, plain or gzip, a sentence per line");
  add_files(command, "--hypothesis", options.hypotheses,
            "Translations to score; several files give a table")
      .default_is("standard input");
  command.extra_arguments_mean({"--hypothesis", "--reference"});
  command
      .add_option("--metrics", options.metrics,
                  fmt::format("Which of {}", fmt::join(kMetricNames, ", ")))
      .split_at(',')
      .shows("NAME,...")
      .offers({kMetricNames.begin(), kMetricNames.end()});
  command.add_flag("--sentence", options.sentence, "Print one line of scores per sentence");
  command.add_option("--width", options.width, "Decimals in text output", Range{0, 17}).shows("N");
  command.add_flag("--json", options.json, "One JSON object, full precision");
  command.add_threads_option();
  add_bleu_options(command, options.bleu);
  add_chrf_options(command, options.chrf);
  add_ter_options(command, options.ter);
  add_test_options(command, options);
  add_alignment_options(command, options);
}

void check_evaluate_options(const Command& command, EvaluateOptions& options) {
  std::erase(options.metrics, "");  // `bleu, chrf` has a space after the comma.
  for (std::string& name : options.metrics) {
    name = kMetricNames[read_choice("--metrics", name, kMetricNames)];
  }
  if (options.references.empty() == options.gold.empty()) {
    throw UsageError(
        "expected either --reference (with translations on standard input or in --hypothesis) or "
        "--alignment-reference (with --alignment)");
  }
  if (options.reversed && options.gold.empty()) {
    throw UsageError("--reversed needs --alignment-reference");
  }
  if (!options.gold.empty()) expect_alignment_options_only(command);
  if (options.gold.empty()) expect_chosen_metrics(command, options);
  expect_one_standard_input(options);
  const bool resampled = options.confidence || !options.paired.empty();
  for (const char* flag : {"--confidence-n", "--seed"}) {
    if (command.given(flag) && !resampled) {
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

}  // namespace eatt::cli
