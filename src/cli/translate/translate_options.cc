#include "cli/translate/translate_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/error.h"
#include "cli/program.h"
#include "runtime/api/option_fields.h"

namespace eatt::cli {
namespace {

const std::string kSearch = "Search";
const std::string kSampling = "Sampling";
const std::string kOutput = "Output";
const std::string kAlignment = "Alignments";
const std::string kSpeed = "Speed and length";

// Adds an option of the shared table, with its default behind the name of its value.
template <typename Options>
void add_field(CLI::App& command, const OptionField<Options>& field, Options& options) {
  const std::string name = (field.name == "beam-size" ? "-b,--" : "--") + field.name;
  const auto set = [&field, &options](const std::string& text) { field.set(options, text); };
  if (field.value.empty()) {
    command
        .add_flag_callback(
            name, [set] { set("true"); }, field.help)
        ->group(field.group);
    return;
  }
  const std::string shown = field.get(options);
  command.add_option_function<std::string>(name, set, field.help)
      ->option_text(field.value + (shown.empty() ? "" : " [" + shown + "]"))
      ->group(field.group);
}

void add_alignment_options(CLI::App& command, OutputOptions& show) {
  command
      .add_option_function<std::string>(
          "--alignment",
          [&show](const std::string& text) {
            const auto alignment = parse_alignment(text);
            if (!alignment) {
              throw UsageError(fmt::format(
                  "--alignment is '{}'; expected hard, soft or a probability above 0, at most 1",
                  text));
            }
            show.alignment = *alignment;
          },
          "Word alignments: best links, all probabilities, or links of at least 0.x")
      ->option_text("hard|soft|0.x")
      ->group(kAlignment);
  command
      .add_option_function<std::string>(
          "--alignment-units",
          [&show](const std::string& name) {
            show.units = name == "word" ? AlignmentUnits::word : AlignmentUnits::piece;
          },
          "Between white-space words, or pieces")
      ->check(CLI::IsMember({"word", "piece"}).description(""))
      ->option_text("word|piece [word]")
      ->group(kAlignment);
}

void add_output_options(CLI::App& command, OutputOptions& show) {
  const std::map<std::string, OutputFormat> formats{
      {"text", OutputFormat::text}, {"json", OutputFormat::json}, {"nbest", OutputFormat::nbest}};
  command
      .add_option("--output-format", show.format, "A translation, a JSON object, or a Moses list")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->option_text("text|json|nbest [text]")
      ->group(kOutput);
  command.add_flag("--word-scores", show.word_scores, "Log-probability of every word")
      ->group(kOutput);
  command.add_flag("--pieces", show.pieces, "Pieces of source and translation, in JSON")
      ->group(kOutput);
}

// `--n-best` alone is as many as the beam; `--n-best 5` is five.
void set_n_best(const CLI::App& command, TranslateOptions& options) {
  const CLI::Option* option = command.get_option("--n-best");
  const bool wants_list = options.show.format == OutputFormat::nbest;
  if (option->count() == 0) {
    if (wants_list) options.search.n_best = options.search.beam_size;
    return;
  }
  const std::string text = option->results().empty() ? "" : option->results().front();
  int& n_best = options.search.n_best;
  n_best = options.search.beam_size;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n_best);
  if (!text.empty() && text != "true" && (error != std::errc() || *end != '\0')) {
    throw UsageError(fmt::format(
        "--n-best is '{}'; expected a number, or nothing for as many as --beam-size (a bundle "
        "stands before it)",
        text));
  }
  if (command.count("--output-format") == 0) options.show.format = OutputFormat::nbest;
}

void check_scoring(const CLI::App& command, const TranslateOptions& options) {
  if (options.targets.empty()) return;
  for (const CLI::Option* option : command.get_options()) {
    const bool searches = option->get_group() == kSearch || option->get_group() == kSampling ||
                          option->get_name() == "--prefix" || option->get_name() == "--long-input";
    if (option->count() == 0 || !searches) continue;
    throw UsageError(fmt::format("{} changes what is searched for, but --score searches nothing",
                                 option->get_name()));
  }
}

}  // namespace

void add_search_options(CLI::App& command, SearchOptions& search, OptionNames without) {
  for (const auto& field : search_fields()) {
    if (std::ranges::find(without, field.name) != without.end()) continue;
    add_field(command, field, search);
  }
}

void add_translator_options(CLI::App& command, TranslatorOptions& translator, OptionNames without) {
  for (const auto& field : translator_fields()) {
    // These follow from others, or have another form here.
    if (field.name == "cpu-threads" || field.name == "verify-hashes" || field.name == "attention" ||
        field.name == "split-long-input") {
      continue;
    }
    if (std::ranges::find(without, field.name) != without.end()) continue;
    add_field(command, field, translator);
  }
  command
      .add_flag_callback(
          "--no-hash", [&translator] { translator.verify_hashes = false; },
          "Do not check the bundle's hashes: starts faster")
      ->group(kSpeed);
  add_threads_option(command);
}

void add_translate_options(CLI::App& command, TranslateOptions& options) {
  command.add_option("BUNDLE", options.bundles, "Model folder; several translate together");
  command.add_option("--weights", options.weights, "Of each bundle, where there are several")
      ->option_text("X...")
      ->group("Input");
  command.add_option("-i,--input", options.input, "Text, plain or gzip, a sentence per line")
      ->option_text("FILE [standard input]")
      ->group("Input");
  command.add_option("--prefix", options.prefixes, "What each translation begins with, per line")
      ->option_text("FILE")
      ->group("Input");
  command
      .add_option("--score,--score-target", options.targets,
                  "Score these translations, a line each, instead of translating")
      ->option_text("FILE")
      ->group("Input");
  command.add_option("-o,--output", options.output, "Written whole or not at all")
      ->option_text("FILE [standard output]")
      ->group(kOutput);
  command.add_option("--n-best", "Hypotheses to give, at most --beam-size (all of them)")
      ->expected(0, 1)
      ->option_text("[N]")
      ->group(kSearch);
  add_search_options(command, options.search, {"n-best"});  // Has a form without a value too.
  add_output_options(command, options.show);
  add_alignment_options(command, options.show);
  add_translator_options(command, options.translator);
  command
      .add_option_function<std::string>(
          "--long-input",
          [&options](const std::string& what) {
            options.translator.split_long_input = what == "split";
          },
          "Lines above --max-input-length: split at sentence ends, or an error")
      ->check(CLI::IsMember({"split", "error"}).description(""))
      ->option_text("split|error [split]")
      ->group(kSpeed);
  command.add_option("--maxi-batch", options.window_lines, "Lines sorted by length together")
      ->check(CLI::Range(1, 10'000'000).description(""))
      ->option_text("N [1000]")
      ->group(kSpeed);
  command.add_option("--batch-window-ms", options.window_ms, "How long a line waits for others")
      ->check(CLI::Range(0, 3'600'000).description(""))
      ->option_text("N [10]")
      ->group(kSpeed);
  command
      .add_flag("--stats", options.stats, "Speed, latency, memory and energy, on stderr at the end")
      ->group(kSpeed);
}

void settle_translate_options(const CLI::App& command, TranslateOptions& options) {
  set_n_best(command, options);
  check_scoring(command, options);
  if (options.bundles.empty()) {
    throw UsageError("no BUNDLE is given: the folder of a model; see `eatt translate --help`");
  }
  for (const char* name : {"--prefix", "--score"}) {
    const CLI::Option* option = command.get_option(name);
    if (option->count() > 0 && option->results().front() == "-" && options.input == "-") {
      throw UsageError(
          fmt::format("{} - and the input are both standard input; give one a file", name));
    }
  }
  if (command.count("--seed") > 0 && !options.search.sampling) {
    throw UsageError("--seed needs --sampling: a search draws nothing");
  }
  if (command.count("--n-best") > 0 && options.show.format == OutputFormat::text) {
    throw UsageError("--n-best gives lists, which --output-format text cannot show");
  }
  options.show.lists = options.search.n_best > 1;
  if (options.show.pieces && options.show.format != OutputFormat::json) {
    throw UsageError("--pieces needs --output-format json");
  }
  const bool aligns = options.show.alignment.kind != AlignmentKind::none;
  for (const char* name :
       {"--alignment-units", "--alignment-layer", "--alignment-head", "--alignment-shift"}) {
    const bool for_coverage =
        options.search.coverage_penalty != 0 && std::string_view(name) != "--alignment-units";
    if (command.count(name) > 0 && !aligns && !for_coverage) {
      throw UsageError(fmt::format("{} needs --alignment", name));
    }
  }
  if (options.search.alternatives && command.count("--n-best") == 0) {
    throw UsageError("--alternatives needs --n-best N, the number of them");
  }
  options.translator.wants_attention = aligns || options.search.coverage_penalty != 0;
}

}  // namespace eatt::cli
