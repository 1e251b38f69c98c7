// `eatt energy model`: what translating a text takes, in operations, bytes and joules.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "base/text/utf8.h"
#include "bundle/bundle.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/translate/line_input.h"
#include "cli/translate/translate_options.h"
#include "energy/activity.h"
#include "energy_report/model_report.h"
#include "runtime/api/translator.h"
#include "runtime/api/word_alignment.h"

namespace eatt::cli {
namespace {

struct Options {
  std::string bundle;
  std::vector<std::string> compared;
  std::string input = "-";
  std::vector<std::string> chips;   // Empty: the usual ones.
  std::vector<std::string> tables;  // Empty: the usual ones.
  std::string plot;                 // Empty: none.
  bool json = false;
  SearchOptions search;
  TranslatorOptions translator;
};

// All lines that have any text.
std::vector<std::string> read_text(const std::string& input) {
  LineWindows windows(input, {});
  const StopSignal stop;
  std::vector<std::string> lines;
  for (std::vector<InputLine> window;
       windows.next(window, [&] { return stop.received() != nullptr; });) {
    for (InputLine& line : window) {
      if (count_words(line.text) > 0) lines.push_back(std::move(line.text));
    }
  }
  if (stop.received() != nullptr)
    throw Error(fmt::format("stopped by {} while reading", stop.received()));
  if (!lines.empty()) return lines;
  throw Error(fmt::format("{}: has no text to translate; give lines of the model's source language",
                          input == "-" ? "standard input" : input));
}

std::vector<Translation> translate_all(const Translator& translator,
                                       const std::vector<std::string>& lines,
                                       const SearchOptions& search) {
  constexpr size_t kLinesAtATime = 256;  // Between looks at signals.
  std::vector<Translation> translations;
  const StopSignal stop;
  Progress progress("translating", lines.size(), "sentences");
  for (size_t first = 0; first < lines.size(); first += kLinesAtATime) {
    std::vector<TranslationTask> tasks;
    for (size_t i = first; i < std::min(first + kLinesAtATime, lines.size()); ++i)
      tasks.push_back({.source = lines[i], .prefix = {}, .number = static_cast<int64_t>(i)});
    for (Translation& translation : translator.translate(tasks, search))
      translations.push_back(std::move(translation));
    if (stop.received() != nullptr)
      throw Error(fmt::format("stopped by {} after {}", stop.received(),
                              format_count(translations.size(), "sentence")));
    progress.update(translations.size());
  }
  progress.finish();
  return translations;
}

// What is counted: a bundle as it will be computed.
struct CountedBundle {
  std::string path;
  Architecture architecture;
  Precision precision;
};

CountedBundle open_bundle(const std::string& path, const Options& options) {
  const Bundle bundle = Bundle::open(path, {.verify_hashes = false});  // The translator does that.
  return {path, bundle.architecture(),
          options.translator.precision == "int8" ? Precision::int8 : bundle.manifest().precision};
}

energy::ModelAccount account_for(const CountedBundle& bundle, energy::AccountKind kind,
                                 const std::vector<std::string>& lines, const Options& options) {
  const Translator translator(bundle.path, options.translator);
  const auto translations = translate_all(translator, lines, options.search);
  energy::TextSize size;
  size.lines = lines.size();
  for (size_t i = 0; i < lines.size(); ++i) {
    size.source_words += count_words(lines[i]);
    size.source_pieces += translations[i].source_pieces.size();
    size.target_pieces += translations[i].hypotheses.front().pieces.size();
  }
  return energy::account_of(bundle_name(bundle.path), kind, bundle.architecture, bundle.precision,
                            size, translator.activity());
}

std::vector<energy::Chip> chips_for(const Options& options, Precision precision) {
  if (options.chips.empty()) return energy::usual_chips(precision);
  return energy::find_chips(options.chips);
}

std::vector<energy::ModelTable> tables_of(const Options& options) {
  if (options.tables.empty()) return energy::model_tables("");
  std::vector<energy::ModelTable> tables;
  for (const std::string& name : options.tables) {
    for (const auto table : energy::model_tables(name)) {
      if (std::ranges::find(tables, table) == tables.end()) tables.push_back(table);
    }
  }
  return tables;
}

energy::ReportedSearch reported_search(const Options& options) {
  const SearchOptions& search = options.search;
  return {.beam_size = search.beam_size,
          .batch_sentences = options.translator.batch_sentences,
          .length_penalty = search.length_penalty,
          .normalize = search.normalize,
          .word_penalty = search.word_penalty,
          .min_length = search.min_length,
          .max_length = search.max_length,
          .max_length_factor = search.max_length_factor,
          .max_length_extra = search.max_length_extra,
          .allow_unknown = search.allow_unknown,
          .shortlist = replace_invalid_utf8(options.translator.shortlist)};
}

void write_plot(const std::string& file, const energy::ModelReport& report) {
  write_file_atomically(file, energy::model_chart(report));
  const std::string left_out = energy::left_out_of_chart(report);
  if (!left_out.empty()) spdlog::info("{}: {}", file, left_out);
}

void run(const Options& options) {
  if (options.json && !options.tables.empty())
    throw UsageError("--json prints all tables at once; leave out --table");
  if (!options.plot.empty()) expect_svg("--plot", options.plot);
  const auto tables = tables_of(options);
  // Whatever is wrong with bundles and chips shows before any work.
  const CountedBundle bundle = open_bundle(options.bundle, options);
  std::vector<CountedBundle> others;
  for (const std::string& path : options.compared) others.push_back(open_bundle(path, options));
  auto chips = chips_for(options, bundle.precision);
  energy::check_chips(chips, bundle.architecture, bundle.precision);
  const std::vector<std::string> lines = read_text(options.input);
  energy::ModelAccount model = account_for(bundle, energy::AccountKind::model, lines, options);
  std::vector<energy::ModelAccount> compared;
  for (const CountedBundle& other : others)
    compared.push_back(account_for(other, energy::AccountKind::compared, lines, options));
  const auto report = energy::make_model_report(std::move(model), std::move(compared),
                                                std::move(chips), reported_search(options));
  if (!options.plot.empty()) write_plot(options.plot, report);
  print_report(
      options.json ? energy::model_report_json(report) : energy::model_report_text(report, tables),
      options.plot);
}

}  // namespace

void add_energy_model(Command& energy) {
  const auto options = std::make_shared<Options>();
  options->translator.records_activity = true;
  options->translator.batch_sentences = 1;
  Command& command = energy.add_command(
      "model", "Count the operations of translating a text, and compute their energy on chips",
      "eatt energy model BUNDLE --beam-size 4 < test.zh\n"
      "  eatt energy model BUNDLE --compare OTHER --chip cmos45 "
      "--plot energy.svg -i test.zh");
  command.add_option("BUNDLE", options->bundle, "Model folder").required().reads();
  command.extra_arguments_mean({"-i"});
  command.extra_model_means("--compare");
  command
      .add_option("--compare", options->compared, "Other models to compare with, on the same text")
      .shows("BUNDLE...")
      .reads();
  command
      .add_option("-i,--input", options->input,
                  "Text, plain or gzip, a sentence per line; lines stay whole")
      .shows("FILE")
      .reads();
  command
      .add_option(
          "--chip", options->chips,
          "Chips to compute the energy for, by name or file; `eatt energy chips` lists them")
      .split_at(',')
      .shows("NAME|FILE...")
      .offers(energy::built_in_chip_names())
      .default_is("all that have prices for this model")
      .reads();
  command
      .add_option("--table", options->tables,
                  "Tables to print: " + one_of(energy::kModelTableNames))
      .split_at(',')
      .shows("NAME,...")
      .offers({energy::kModelTableNames.begin(), energy::kModelTableNames.end()})
      .default_is("all but layers");
  command.add_option("--plot", options->plot, "Write a chart of the energy, by part and by length")
      .shows("FILE.svg")
      .writes(kSvgOutput);
  command.add_flag("--json", options->json, "Everything as one JSON object, in full precision");
  add_search_options(command, options->search,
                     {"n-best", "coverage-penalty", "repetition-penalty", "early-stopping",
                      "alternatives", "sampling", "temperature", "top-k", "top-p", "seed"});
  add_translator_options(command, options->translator,
                         {"alignment-layer", "alignment-head", "alignment-shift"});
  command.on_run([options] { run(*options); });
}

}  // namespace eatt::cli
