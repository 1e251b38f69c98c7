#include "cli/evaluate/evaluate_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

using namespace evaluation;

constexpr char kAlignmentGroup[] = "Word alignments (AER, precision, recall)";

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
  const std::string group = kAlignmentGroup;
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

void expect_alignment_options_only(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool known =
        option->get_group() == kAlignmentGroup || name == "--json" || name == "--cpu-threads";
    if (option->count() == 0 || known) continue;
    throw UsageError(fmt::format("{} says nothing about word alignments; leave it out", name));
  }
}

}  // namespace

void add_evaluate_options(CLI::App& command, EvaluateOptions& options) {
  add_files(command, "--reference", options.references,
            "Reference translations, plain or gzip, a sentence per line");
  add_files(command, "--hypothesis", options.hypotheses,
            "Translations to score, instead of standard input; several make a table");
  command.add_option("--metrics", options.metrics, "Which of bleu, chrf, ter")
      ->delimiter(',')
      ->option_text("NAME,... [bleu,chrf,ter]");
  command.add_flag("--sentence", options.sentence, "A line of scores per sentence");
  command.add_option("--width", options.width, "Decimals in text output")
      ->check(CLI::Range(0, 17).description(""))
      ->option_text("N [1]");
  command.add_flag("--json", options.json, "One JSON object, full precision");
  add_threads_option(command);
  add_bleu_options(command, options.bleu);
  add_chrf_options(command, options.chrf);
  add_ter_options(command, options.ter);
  add_test_options(command, options);
  add_alignment_options(command, options);
}

void check_evaluate_options(const CLI::App& command, const EvaluateOptions& options) {
  if (options.references.empty() == options.gold.empty()) {
    throw UsageError(
        "expected either --reference (with translations on standard input or in --hypothesis) or "
        "--alignment-reference (with --alignment)");
  }
  if (options.reversed && options.gold.empty()) {
    throw UsageError("--reversed needs --alignment-reference");
  }
  if (!options.gold.empty()) expect_alignment_options_only(command);
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

}  // namespace eatt::cli
