#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/error.h"
#include "base/threads.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "model/blas.h"
#include "training/validation/attention_alignment.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::filesystem::path bundle;
  std::vector<std::string> sets;
  std::vector<std::string> choose_on;
  AlignmentSource source;
};

void check_source(const AlignmentSource& source, const Architecture& architecture) {
  if (source.layer < 1 || source.layer > architecture.decoder_layers() ||
      source.head > architecture.heads) {
    throw UsageError(fmt::format("the model has layers 1 to {} and heads 1 to {} (0: their mean)",
                                 architecture.decoder_layers(), architecture.heads));
  }
}

void run(Arguments arguments) {
  set_up_computing();
  BundleModel model(arguments.bundle);
  const auto read_set = [&](const std::vector<std::string>& files) {
    return ValidationSet(files[0], files[1], model.source_pieces, model.target_pieces);
  };
  const ValidationSet text = read_set(arguments.sets);
  if (!arguments.choose_on.empty()) {
    const ValidationSet dev = read_set(arguments.choose_on);
    const auto gold = evaluation::read_alignments(arguments.choose_on[2], 0);
    const ChosenAlignment chosen = choose_alignment(model, dev, gold);
    arguments.source = chosen.source;
    spdlog::info("chosen: {}; alignment error there {:.4f}", print_alignment_source(chosen.source),
                 chosen.score.error_rate());
  }
  check_source(arguments.source, model.bundle.architecture());
  const auto found = align_by_attention(model, text, std::span(&arguments.source, 1));
  for (const auto& links : found.front().sentences) {
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
