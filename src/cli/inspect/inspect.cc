// `eatt inspect`: what a model does inside with a text.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/progress.h"
#include "chart/chart.h"
#include "cli/alignment_options.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "evaluation/text_lines.h"
#include "inspection/inspection.h"
#include "text/corpus/languages.h"

namespace eatt::cli {
namespace {

using inspection::AlignedSentence;
using inspection::Inspection;
using inspection::SentencePair;

enum class Chosen { stored, float32, int8 };

struct Arguments {
  std::string bundle;
  std::string input;
  std::vector<std::string> sets;
  std::string gold;
  uint32_t gold_base = 0;
  size_t sentence = 0;  // To print; from 1.
  std::string pharaoh, heat_map, alignments;
  Chosen precision = Chosen::stored;
  bool json = false;
  inspection::InspectionOptions options;
};

std::vector<SentencePair> read_text(const Arguments& arguments) {
  std::vector<SentencePair> text;
  const auto source = evaluation::TextLines::read_file(arguments.sets.empty() ? arguments.input
                                                                              : arguments.sets[0]);
  for (const std::string_view line : source.lines()) text.push_back({std::string(line), {}});
  if (arguments.sets.empty()) return text;
  const auto target = evaluation::TextLines::read_file(arguments.sets[1]);
  evaluation::expect_same_length(source, target);
  for (size_t i = 0; i < text.size(); ++i) text[i].target = std::string(target.lines()[i]);
  return text;
}

void check(const Arguments& arguments) {
  if (arguments.input.empty() == arguments.sets.empty()) {
    throw UsageError(
        "give either -i FILE, source text, or --sets SRC TGT, text and its translation");
  }
  if (!arguments.gold.empty() && arguments.sets.empty()) {
    throw UsageError("--gold needs --sets SRC TGT: its links are between given sentences");
  }
  if (!arguments.gold.empty() && arguments.options.units == AlignmentUnits::piece) {
    throw UsageError("--gold has links between words, so it excludes --alignment-units piece");
  }
}

void check_direction(const Arguments& arguments) {
  if (arguments.sets.empty()) return;
  const Manifest manifest = Bundle::open(arguments.bundle, {.verify_hashes = false}).manifest();
  check_languages({manifest.source_language, manifest.target_language}, "the model",
                  {"--sets", arguments.sets[0], arguments.sets[1]});
}

std::string heat_map_of(const Inspection& found, const AlignedSentence& sentence, size_t number) {
  chart::HeatMap map;
  map.caption.title = fmt::format("Attention of sentence {}", number);
  map.caption.description =
      fmt::format("Cross-attention of {}, {}: how much each target word looks at each source word.",
                  found.model, print_alignment_source(found.source));
  map.row_title = "target";
  map.column_title = "source";
  map.rows = sentence.target;
  map.columns = sentence.source;
  for (const auto& row : sentence.weights) map.values.emplace_back(row.begin(), row.end());
  map.tone = found.mechanism == "vanilla"               ? chart::Tone::vanilla
             : found.mechanism == "E-ATT, signed codes" ? chart::Tone::best
             : found.mechanism == "E-ATT, binary codes" ? chart::Tone::eatt
                                                        : chart::Tone::first_other;
  return chart::svg_file(map);
}

void write_files(const Arguments& arguments, const Inspection& found, size_t number) {
  if (!arguments.pharaoh.empty()) {
    std::string lines;
    for (const AlignedSentence& sentence : found.alignments) {
      lines += print_links(sentence.links) + "\n";
    }
    write_file_atomically(arguments.pharaoh, lines);
  }
  if (!arguments.alignments.empty()) {
    write_file_atomically(arguments.alignments, inspection::alignments_json(found));
  }
  if (!arguments.heat_map.empty()) {
    write_file_atomically(arguments.heat_map,
                          heat_map_of(found, found.alignments[number - 1], number));
  }
}

void run(const Arguments& given) {
  Arguments arguments = given;
  check(arguments);
  check_direction(arguments);
  if (arguments.precision != Chosen::stored) {
    arguments.options.precision =
        arguments.precision == Chosen::int8 ? Precision::int8 : Precision::float32;
  }
  const std::vector<SentencePair> text = read_text(arguments);
  const size_t number = std::max<size_t>(arguments.sentence, 1);
  if (number > text.size()) {
    throw UsageError(fmt::format("--sentence is {}, but the text has {}", number,
                                 format_count(text.size(), "line")));
  }
  std::optional<evaluation::Alignments> gold;
  if (!arguments.gold.empty()) {
    gold = evaluation::read_alignments(arguments.gold, arguments.gold_base);
  }
  const Inspection found =
      inspection::inspect(arguments.bundle, text, arguments.options, gold ? &*gold : nullptr);
  write_files(arguments, found, number);
  if (arguments.json) return print_result(inspection::to_json(found));
  print_result(inspection::to_text(found));
  if (arguments.sentence == 0) return;
  print_result(fmt::format("\nattention of sentence {} ({})\n{}", number,
                           print_alignment_source(found.source),
                           inspection::alignment_text(found.alignments[number - 1])));
}

// What an earlier run may have written: only that is replaced.
bool is_alignments(const std::filesystem::path& file) {
  return MappedFile(file).text().starts_with("{\"sentences\":");
}
bool is_links(const std::filesystem::path& file) {
  evaluation::read_alignments(file, 0);  // Throws an Error if it has something else.
  return true;
}

void add_source_options(Command& command, Arguments& arguments) {
  const std::string group = "Alignments";
  for (Option& option : add_alignment_source(command, arguments.options.source))
    option.group(group);
  command
      .add_choice("--alignment-units", arguments.options.units,
                  {{"word", AlignmentUnits::word}, {"piece", AlignmentUnits::piece}},
                  "What attention and features are shown for: words between spaces, or pieces")
      .group(group);
}

void add_alignment_options(Command& command, Arguments& arguments) {
  const std::string group = "Alignments";
  add_source_options(command, arguments);
  command
      .add_option("--sentence", arguments.sentence,
                  "Also print the attention of this sentence, from 1, as a table")
      .shows("N")
      .group(group);
  command.add_option("--heat-map", arguments.heat_map, "Draw that sentence, or the first, as SVG")
      .shows("FILE")
      .group(group)
      .writes(kSvgOutput);
  command.add_option("--pharaoh", arguments.pharaoh, "Write the links of all sentences, as 0-0 1-2")
      .shows("FILE")
      .group(group)
      .writes({"a word alignment", is_links});
  command
      .add_option("--alignments", arguments.alignments,
                  "Write the attention of all sentences as JSON")
      .shows("FILE")
      .group(group)
      .writes({"attention as JSON", is_alignments});
  command
      .add_option("--gold", arguments.gold,
                  "Gold links of --sets, such as 0-0 1p2: print the alignment error of each layer")
      .shows("FILE")
      .group(group)
      .reads();
  command
      .add_option("--gold-base", arguments.gold_base, "Number of the first word in the gold links",
                  Range{0, 1})
      .shows("0|1")
      .group(group);
}

}  // namespace

void add_inspect_command(Command& program) {
  Command& command = program.add_command(
      "inspect", "Show what a model does inside: densities, entropy, alignments, features",
      "eatt inspect BUNDLE -i test.zh\n"
      "  eatt inspect BUNDLE --sets test.zh test.en --gold test.align --sentence 1");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("BUNDLE", arguments->bundle, "Model folder").required().reads();
  command
      .add_option("-i,--input", arguments->input,
                  "Source text; the translations are the model's own, by greedy search")
      .shows("FILE")
      .reads();
  command.add_option("--sets", arguments->sets, "Source text and its translation")
      .shows("SRC TGT")
      .takes(2)
      .also("--valid-sets")
      .reads();
  command
      .add_option("--features", arguments->options.features,
                  "Number of the most frequent features to list for each layer; 0: none")
      .shows("N");
  command.add_choice(
      "--precision", arguments->precision,
      {{"stored", Chosen::stored}, {"float32", Chosen::float32}, {"int8", Chosen::int8}},
      "Precision to compute in; stored: as the model is");
  command.add_flag("--json", arguments->json, "One JSON object with full-precision numbers");
  add_alignment_options(command, *arguments);
  command.add_threads_option();
  command.extra_arguments_mean({"-i"});
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
