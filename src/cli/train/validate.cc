// `eatt-train validate` and `align`: what a bundle makes of text whose translation is known.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/text_layout.h"
#include "cli/alignment_options.h"
#include "cli/commands.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"
#include "runtime/api/option_fields.h"
#include "training/validation/validation.h"

namespace eatt::cli {
namespace {

struct ValidateArguments {
  std::filesystem::path bundle;
  std::vector<std::string> sets;
  std::filesystem::path output;
  Scoring scoring;
  bool json = false;
};

// A row for each layer. The code of the encoder's output is the key of cross-attention in all of
// them.
std::string density_table(const Densities& densities) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add_row({"layer", "encoder self", "decoder self", "cross query", "cross key"});
  const auto cell = [](double density) {
    return density < 0 ? std::string("-") : fmt::format("{:.3f}", density);
  };
  const auto of_layer = [&](const std::vector<double>& layers, size_t layer) {
    return layer < layers.size() ? cell(layers[layer]) : std::string();
  };
  const size_t layers = std::max(densities.encoder_self.size(), densities.decoder_self.size());
  for (size_t i = 0; i < layers; ++i) {
    table.add_row({std::to_string(i + 1), of_layer(densities.encoder_self, i),
                   of_layer(densities.decoder_self, i), of_layer(densities.cross_query, i),
                   i < densities.cross_query.size() ? cell(densities.cross_key) : std::string()});
  }
  return fmt::format("density        {:.3f}  rows added per feature; by layer and role:\n{}",
                     densities.mean(), table.text());
}

void validate(const ValidateArguments& arguments) {
  const ValidationScores scores =
      validate_bundle(arguments.bundle, {arguments.sets[0], arguments.sets[1]}, arguments.scoring);
  if (!arguments.output.empty()) {
    std::string text;
    for (const std::string& line : scores.translations) text += line + "\n";
    write_file_atomically(arguments.output, text);
  }
  if (arguments.json) {
    print_result(to_json(scores).dump(2) + "\n");
    return;
  }
  print_result(fmt::format(
      "cross-entropy  {:.4f} nats per piece\n"
      "perplexity     {:.3f}\n"
      "BLEU           {:.2f}  {}\n"
      "chrF           {:.2f}\n",
      scores.cross_entropy, scores.perplexity, *scores.bleu, scores.bleu_signature, *scores.chrf));
  if (scores.densities.any()) print_result(density_table(scores.densities));
}

void add_tokenizer_option(Command& command, evaluation::Tokenizer& tokenizer) {
  using evaluation::Tokenizer;
  command
      .add_choice("--tokenize", tokenizer,
                  {{"13a", Tokenizer::v13a},
                   {"intl", Tokenizer::intl},
                   {"zh", Tokenizer::zh},
                   {"char", Tokenizer::character},
                   {"none", Tokenizer::none}},
                  "Tokenizer of BLEU")
      .also("--valid-tokenize");
}

// The search options that published scores differ in.
void add_beam_options(Command& command, SearchOptions& search) {
  for (const auto& field : search_fields()) {
    if (field.name == "beam-size" || field.name == "length-penalty" || field.name == "normalize")
      command.add_field(field, search);
  }
}

struct AlignArguments {
  std::filesystem::path bundle;
  std::vector<std::string> sets;
  std::vector<std::string> choose_on;
  std::filesystem::path output;  // Empty: standard output.
  AlignmentSource source;
};

bool is_word_alignment(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  std::string_view text = mapped.text();
  for (int line = 0; line < 1000 && !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    evaluation::parse_alignment_line(text.substr(0, end));  // Throws an Error if it has no links.
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

void align(const AlignArguments& arguments) {
  AlignmentRequest request = {.bundle = arguments.bundle,
                              .text = {arguments.sets[0], arguments.sets[1]},
                              .choose_on = {},
                              .source = arguments.source};
  if (const auto& gold = arguments.choose_on; !gold.empty()) {
    request.choose_on = GoldText{.text = {gold[0], gold[1]}, .links = gold[2]};
  }
  const WordAlignment found = align_words(request);
  if (found.error_rate) {
    spdlog::info("chosen: {}; alignment error {:.4f} on the given text",
                 print_alignment_source(found.source), *found.error_rate);
    constexpr double kHighError = 0.8;
    if (*found.error_rate > kHighError) {
      spdlog::info(
          "an alignment error of {:.4f} is very high, so the model has learned little, or {} does "
          "not belong to {} and {}",
          *found.error_rate, arguments.choose_on[2], arguments.choose_on[0],
          arguments.choose_on[1]);
    }
  }
  std::string lines;
  for (const auto& links : found.links.sentences) {
    lines += evaluation::format_alignment_line(links) + "\n";
  }
  if (arguments.output.empty()) return print_result(lines);
  write_file_atomically(arguments.output, lines);
}

}  // namespace

void add_validate_command(Command& program) {
  Command& command = add_foreign_command(program, "validate");
  const auto arguments = std::make_shared<ValidateArguments>();
  command.add_option("BUNDLE", arguments->bundle, "Model folder").required().reads();
  command.add_option("--valid-sets", arguments->sets, "Source and reference text")
      .shows("SRC TGT")
      .takes(2)
      .also("--sets")
      .required()
      .reads();
  command.add_option("--output", arguments->output, "Also write the translations")
      .shows("FILE")
      .writes();
  add_tokenizer_option(command, arguments->scoring.tokenizer);
  add_beam_options(command, arguments->scoring.search);
  command.add_flag("--json", arguments->json, "One JSON object with full-precision numbers");
  command.add_threads_option();
  command.extra_arguments_mean({"--valid-sets", ""});
  command.on_run([arguments] { validate(*arguments); });
}

void add_align_command(Command& program) {
  Command& command = add_foreign_command(program, "align");
  const auto arguments = std::make_shared<AlignArguments>();
  command.add_option("BUNDLE", arguments->bundle, "Model folder").required().reads();
  command.add_option("--sets", arguments->sets, "Source text and its translation")
      .shows("SRC TGT")
      .takes(2)
      .also("--valid-sets")
      .required()
      .reads();
  command.extra_arguments_mean({"--sets", ""});
  const Option choose =
      command
          .add_option(
              "--choose-on", arguments->choose_on,
              "Text with gold links; use the layer, head and shift with the lowest error on it")
          .shows("SRC TGT LINKS")
          .takes(3)
          .reads();
  command.add_option("--output", arguments->output, "Write the links to this file")
      .shows("FILE")
      .default_is("standard output")
      .writes({"a word alignment", is_word_alignment});
  for (Option& option : add_alignment_source(command, arguments->source)) option.excludes(choose);
  command.add_threads_option();
  command.on_run([arguments] { align(*arguments); });
}

}  // namespace eatt::cli
