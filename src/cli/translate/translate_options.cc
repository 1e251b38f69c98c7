#include "cli/translate/translate_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "cli/translate/line_input.h"
#include "runtime/api/option_fields.h"
#include "text/corpus/languages.h"

namespace eatt::cli {
namespace {

const std::string kSearch = "Search";
const std::string kSampling = "Sampling";
const std::string kOutput = "Output";
const std::string kAlignment = "Alignments";
const std::string kSpeed = "Speed and length";

void add_alignment_options(Command& command, OutputOptions& show) {
  command
      .add_setting(
          "--alignment",
          [&show](const std::string& text) {
            const auto alignment = parse_alignment(text);
            if (!alignment) {
              refuse_value("--alignment", text, "hard, soft or a probability above 0, at most 1");
            }
            show.alignment = *alignment;
          },
          "Add word alignments: the best links, all probabilities, or links of at least 0.x")
      .shows("hard|soft|0.x")
      .group(kAlignment);
  command
      .add_choice("--alignment-units", show.units,
                  {{"word", AlignmentUnits::word}, {"piece", AlignmentUnits::piece}},
                  "Align words separated by white space, or pieces")
      .group(kAlignment);
}

// For models of tokenized text whose translations somebody reads.
void add_detokenize_option(Command& command, std::string& language) {
  command
      .add_option(
          "--detokenize", language,
          "Write tokenized translations as plain text, by the rules of LANG; without LANG, of "
          "the model's target language")
      .takes(0, 1)
      .shows("[LANG]")
      .group(kOutput);
}

void check_detokenize(const TranslateOptions& options) {
  const std::string& language = options.detokenize;
  if (language.empty()) return;
  const size_t letters = std::min(language.find_first_of("-_"), language.size());
  const bool is_code =
      (letters == 2 || letters == 3) &&
      std::ranges::all_of(language.substr(0, letters), [](char c) { return c >= 'a' && c <= 'z'; });
  // Rules for most languages serve those without rules of their own, but xx is none.
  const bool is_known = letters == 3 || !language_of(TextFile("text." + language)).empty();
  if (language != "true" && (!is_code || !is_known)) {
    refuse_value("--detokenize", language,
                 "a language such as en, or nothing for the model's (a BUNDLE goes before it)");
  }
  if (!options.targets.empty()) {
    throw UsageError("--detokenize changes translations, but --score writes none; leave it out");
  }
  const bool counts_words = (options.show.alignment.kind != AlignmentKind::none &&
                             options.show.units == AlignmentUnits::word) ||
                            options.show.word_scores;
  if (counts_words) {
    throw UsageError(
        "--detokenize joins the words that --alignment and --word-scores count; leave one of them "
        "out");
  }
}

void add_output_options(Command& command, OutputOptions& show) {
  command
      .add_choice("--output-format", show.format,
                  {{"text", OutputFormat::text},
                   {"json", OutputFormat::json},
                   {"nbest", OutputFormat::nbest}},
                  "Plain text, JSON objects, or n-best lists as Moses writes them")
      .group(kOutput);
  command.add_flag("--word-scores", show.word_scores, "Log-probability of every word")
      .group(kOutput);
  command.add_flag("--pieces", show.pieces, "Pieces of source and translation, in JSON")
      .group(kOutput);
}

// `--n-best` alone is as many as the beam; `--n-best 5` is five.
void set_n_best(const Command& command, TranslateOptions& options) {
  int& n_best = options.search.n_best;
  if (!command.given("--n-best")) {
    if (options.show.format == OutputFormat::nbest) n_best = options.search.beam_size;
    return;
  }
  if (options.n_best == "true") {
    n_best = options.search.beam_size;
  } else if (options.n_best.find_first_not_of("0123456789") != std::string::npos) {
    refuse_value("--n-best", options.n_best,
                 "an integer, or nothing for as many as --beam-size (a BUNDLE goes before it)");
  } else {
    search_fields().find("n-best")->set(options.search, options.n_best);
  }
  if (!command.given("--output-format")) options.show.format = OutputFormat::nbest;
}

// What stands in a text is put back into one translation, whose words are then no longer those of
// the model.
void check_markup(const Command& command, const TranslateOptions& options) {
  if (!options.uses_markup()) return;
  const std::string_view option = options.html                ? "--html"
                                  : options.keep_placeholders ? "--keep-placeholders"
                                                              : "--glossary";
  const OutputOptions& show = options.show;
  for (const char* name : {"--prefix", "--score", "--n-best", "--alignment", "--word-scores",
                           "--pieces", "--alternatives"}) {
    if (!command.given(name)) continue;
    throw UsageError(
        fmt::format("{} changes the words of a translation, so it excludes {}", option, name));
  }
  if (show.format == OutputFormat::nbest || (options.html && show.format == OutputFormat::json)) {
    throw UsageError(fmt::format("{} writes one text, so it excludes --output-format {}", option,
                                 show.format == OutputFormat::json ? "json" : "nbest"));
  }
}

// A text after the model is meant as the input, not as a second model.
void expect_model_folders(const std::vector<std::string>& bundles) {
  if (bundles.size() < 2) return;
  for (const std::string& bundle : bundles) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(bundle, none)) continue;
    throw UsageError(fmt::format("{} is a file, not the folder of a model; did you mean -i {}?",
                                 bundle, bundle));
  }
}

// Where a line is a unit, because something else is given or told for each line, piece or word, it
// stays whole.
bool splits_sentences(const TranslateOptions& options) {
  const OutputOptions& show = options.show;
  const bool has_companion = !options.prefixes.empty() || !options.targets.empty();
  const bool lists = show.format == OutputFormat::nbest || options.search.n_best > 1;
  const bool tells_parts =
      show.alignment.kind != AlignmentKind::none || show.word_scores || show.pieces;
  return !options.keep_lines && !has_companion && !lists && !tells_parts;
}

void check_scoring(const Command& command, const TranslateOptions& options) {
  if (options.targets.empty()) return;
  for (const Option& option : command.given_options()) {
    const bool searches = option.heading() == kSearch || option.heading() == kSampling ||
                          option.name() == "--prefix" || option.name() == "--long-input";
    if (!searches) continue;
    throw UsageError(fmt::format("{} changes the search, but --score does not search; leave it out",
                                 option.name()));
  }
}

// -i takes every word up to the next option, so a model folder after it (-i FILE BUNDLE) ends up
// among the inputs.
void find_bundles_among_inputs(TranslateOptions& options) {
  if (!options.bundles.empty()) return;
  const auto is_file = [](const std::string& word) {
    std::error_code none;
    return !std::filesystem::is_directory(word, none);
  };
  const auto first = std::stable_partition(options.inputs.begin(), options.inputs.end(), is_file);
  options.bundles.assign(first, options.inputs.end());
  options.inputs.erase(first, options.inputs.end());
  if (options.inputs.empty()) options.inputs = {"-"};
}

void check_companions(const TranslateOptions& options) {
  for (const auto& [name, file] :
       {std::pair("--prefix", options.prefixes), std::pair("--score", options.targets)}) {
    if (file.empty()) continue;
    if (options.inputs.size() > 1) {
      throw UsageError(fmt::format("{} has a line for each line of one input, but {} are given",
                                   name, options.inputs.size()));
    }
    if (file == "-" && options.inputs.front() == "-") {
      throw UsageError(fmt::format(
          "{} - and the input are both standard input; use a file for one of them", name));
    }
    expect_as_many_lines(options.inputs.front(), file);
  }
}

// --shard and --resume.
void add_bulk_options(Command& command, TranslateOptions& options) {
  command
      .add_flag(
          "--resume", options.resume,
          "Keep translated lines in FILE.part if the program is killed; the same command then "
          "continues after the last whole line")
      .group(kOutput);
  command
      .add_setting(
          "--shard", [&options](const std::string& text) { options.shard = parse_shard(text); },
          "Translate only part I of N equal parts of the input; the outputs of all, one after "
          "another, are that of the whole")
      .shows("I/N")
      .group("Input");
}

void check_bulk(const TranslateOptions& options) {
  if (options.shard.count > 1 && options.inputs.size() > 1) {
    throw UsageError(
        fmt::format("--shard divides one input, but {} are given; translate each by "
                    "itself, or give each process some of them",
                    options.inputs.size()));
  }
  if (options.html && (options.shard.count > 1 || options.resume)) {
    throw UsageError(fmt::format("--html translates a document as a whole, so it excludes {}",
                                 options.resume ? "--resume" : "--shard"));
  }
  if (!options.resume) return;
  if (options.overwrite) {
    throw UsageError("--overwrite replaces files that --resume continues; give one of them");
  }
  if (options.output.empty() || is_written_through(options.output)) {
    throw UsageError("--resume needs -o FILE: what was printed elsewhere cannot be continued");
  }
}

void add_speed_options(Command& command, TranslateOptions& options) {
  command
      .add_flag("--no-split", options.keep_lines,
                "Translate a line as a whole, even if it has several sentences")
      .group(kSpeed);
  command
      .add_choice("--long-input", options.translator.split_long_input,
                  {{"split", true}, {"error", false}},
                  "What to do with sentences longer than --max-input-length: split them further, "
                  "or stop")
      .group(kSpeed);
  command
      .add_option("--maxi-batch", options.window_lines,
                  "Lines that are sorted by length before batching", Range{1, 10'000'000})
      .shows("N")
      .group(kSpeed);
  command
      .add_option("--batch-window-ms", options.window_ms,
                  "How long a line waits for others, to be translated together",
                  Range{0, 3'600'000})
      .shows("N")
      .group(kSpeed);
  command
      .add_flag("--stats", options.stats,
                "Print speed, latency, memory and energy on standard error at the end")
      .group(kSpeed);
}

void add_markup_options(Command& command, TranslateOptions& options) {
  command
      .add_flag("--html", options.html,
                "The input is HTML: translate its texts and keep its tags, code and comments")
      .group("Input");
  command
      .add_option("--glossary", options.glossary,
                  "Terms with fixed translations: term, tab, translation on each line")
      .shows("FILE")
      .group("Input")
      .reads();
  command
      .add_flag("--keep-placeholders", options.keep_placeholders,
                "Keep URLs, addresses, {names}, %s and `code` as they are")
      .group("Input");
}

}  // namespace

void add_search_options(Command& command, SearchOptions& search, OptionNames without) {
  for (const auto& field : search_fields()) {
    if (std::ranges::find(without, field.name) != without.end()) continue;
    command.add_field(field, search, field.name == "beam-size" ? "-b," : "");
  }
}

void add_translator_options(Command& command, TranslatorOptions& translator, OptionNames without) {
  for (const auto& field : translator_fields()) {
    // These are added elsewhere, where they have more values or serve fewer commands.
    if (field.name == "cpu-threads" || field.name == "alignment" || field.name == "no-split" ||
        field.name == "long-input") {
      continue;
    }
    if (std::ranges::find(without, field.name) != without.end()) continue;
    Option option = command.add_field(field, translator);
    if (field.name == "shortlist") option.reads();
  }
  command.add_threads_option();
}

void add_translate_options(Command& command, TranslateOptions& options) {
  command.add_option("BUNDLE", options.bundles, "Model folder; several form an ensemble")
      .required_in_the_end()
      .reads();
  command.add_option("--weights", options.weights, "Weight of each bundle, if there are several")
      .shows("X...")
      .group("Input");
  command
      .add_option("-i,--input", options.inputs,
                  "Text, plain or gzip, a sentence per line; several need -o DIR")
      .shows("FILE...")
      .default_is("standard input")
      .group("Input")
      .reads();
  command
      .add_option("--prefix", options.prefixes,
                  "Text that each translation starts with, one line per input line")
      .shows("FILE")
      .group("Input")
      .reads();
  command
      .add_option("--score,--score-target", options.targets,
                  "Score these translations, one per line, instead of translating")
      .shows("FILE")
      .group("Input")
      .reads();
  add_markup_options(command, options);
  command
      .add_option("-o,--output", options.output,
                  "Output file, written completely or not at all, compressed if it ends in .gz; in "
                  "a folder, translations get the names of the inputs")
      .shows("FILE|DIR")
      .default_is("standard output")
      .group(kOutput)
      .writes();
  command
      .add_flag("--overwrite", options.overwrite,
                "Replace files that are already in the folder of -o DIR")
      .group(kOutput);
  add_bulk_options(command, options);
  command
      .add_option("--n-best", options.n_best,
                  "Hypotheses to print, at most --beam-size; without N, all of them")
      .takes(0, 1)
      .shows("[N]")
      .group(kSearch);
  add_search_options(command, options.search, {"n-best"});  // Has a form without a value too.
  add_output_options(command, options.show);
  add_detokenize_option(command, options.detokenize);
  add_alignment_options(command, options.show);
  add_translator_options(command, options.translator);
  add_speed_options(command, options);
}

void settle_translate_options(const Command& command, TranslateOptions& options) {
  set_n_best(command, options);
  check_scoring(command, options);
  check_detokenize(options);
  check_markup(command, options);
  find_bundles_among_inputs(options);
  if (options.bundles.empty()) {
    throw UsageError("no BUNDLE is given, the folder of a model; see `eatt translate --help`");
  }
  expect_model_folders(options.bundles);
  check_companions(options);
  check_bulk(options);
  options.plan =
      plan_translation(options.inputs, options.output, options.overwrite || options.resume);
  if (command.given("--seed") && !options.search.sampling) {
    throw UsageError("--seed needs --sampling, because a search is not random");
  }
  if (command.given("--n-best") && options.show.format == OutputFormat::text) {
    throw UsageError(
        "--n-best prints lists, which --output-format text cannot show; use nbest or json");
  }
  options.show.lists = options.search.n_best > 1;
  if (options.show.pieces && options.show.format != OutputFormat::json) {
    throw UsageError("--pieces needs --output-format json");
  }
  const bool aligns = options.show.alignment.kind != AlignmentKind::none;
  for (const char* name :
       {"--alignment-units", "--alignment-layer", "--alignment-head", "--alignment-shift"}) {
    const bool places_words = options.search.coverage_penalty != 0 || options.uses_markup();
    const bool is_used = aligns || (places_words && std::string_view(name) != "--alignment-units");
    if (command.given(name) && !is_used) {
      throw UsageError(fmt::format("{} needs --alignment", name));
    }
  }
  if (options.search.alternatives && !command.given("--n-best")) {
    throw UsageError("--alternatives needs --n-best N, the number of them");
  }
  check_search_options(options.search);
  options.translator.split_sentences = splits_sentences(options);
  options.translator.wants_scores =
      options.show.format != OutputFormat::text || options.show.word_scores || options.show.lists;
  options.translator.wants_attention =
      aligns || options.search.coverage_penalty != 0 || options.uses_markup();
}

}  // namespace eatt::cli
