#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "training/validation/alignment.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::filesystem::path bundle;
  std::vector<std::string> sets;
  std::vector<std::string> choose_on;
  AlignmentSource source;
};

void run(const Arguments& arguments) {
  AlignmentRequest request = {.bundle = arguments.bundle,
                              .text = {arguments.sets[0], arguments.sets[1]},
                              .choose_on = {},
                              .source = arguments.source};
  if (const auto& gold = arguments.choose_on; !gold.empty()) {
    request.choose_on = GoldText{.text = {gold[0], gold[1]}, .links = gold[2]};
  }
  const WordAlignment found = align_words(request);
  if (found.error_rate) {
    spdlog::info("chosen: {}; alignment error there {:.4f}", print_alignment_source(found.source),
                 *found.error_rate);
  }
  for (const auto& links : found.links.sentences) {
    print_result(evaluation::format_alignment_line(links) + "\n");
  }
}

}  // namespace

void add_align_command(CLI::App& app) {
  CLI::App* command = add_command(
      app, "align", "Word alignments of given translations, from a model's cross-attention",
      "eatt-train align runs/eatt/best --sets test.zh test.en \\\n"
      "      --choose-on dev.zh dev.en dev.align > test.links");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("BUNDLE", arguments->bundle)->required();
  command->add_option("--sets", arguments->sets, "Source text and its translation")
      ->option_text("SRC TGT")
      ->expected(2)
      ->required();
  auto* choose = command->add_option("--choose-on", arguments->choose_on,
                                     "Text with gold links; layer, head and shift with the lowest "
                                     "error there are used");
  choose->option_text("SRC TGT LINKS")->expected(3);
  const auto exclusive = [&](CLI::Option* option) { option->option_text("N")->excludes(choose); };
  exclusive(command->add_option("--layer", arguments->source.layer, "Decoder layer, from 1 (1)"));
  exclusive(command->add_option("--head", arguments->source.head, "From 1; 0 is their mean (0)"));
  exclusive(command
                ->add_option("--shift", arguments->source.shift,
                             "0: attention where a word is predicted, 1: where it is read (0)")
                ->check(CLI::Range(0, 1)));
  add_threads_option(*command);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
