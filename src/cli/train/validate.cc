#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "training/validation/validation.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::filesystem::path bundle;
  std::vector<std::string> sets;
  std::filesystem::path output;
  std::string tokenize = "13a";
  bool json = false;
};

void run(const Arguments& arguments) {
  const auto tokenizer = evaluation::tokenizer_from_name(arguments.tokenize);
  if (!tokenizer)
    throw UsageError(fmt::format("--tokenize is '{}'; expected 13a, intl, zh, char or none",
                                 arguments.tokenize));
  const ValidationScores scores =
      validate_bundle(arguments.bundle, {arguments.sets[0], arguments.sets[1]}, *tokenizer);
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
      "cross-entropy  {:.4f} nats a piece\nperplexity     {:.3f}\n"
      "BLEU           {:.2f}  {}\nchrF           {:.2f}\n",
      scores.cross_entropy, scores.perplexity, *scores.bleu, scores.bleu_signature, *scores.chrf));
  if (scores.densities.any()) {
    print_result(fmt::format("density        {}\n", to_json(scores.densities).dump()));
  }
}

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command =
      add_command(app, "validate",
                  "How a bundle does on a dev or test set: loss by libtorch, greedy translations "
                  "by the runtime",
                  "eatt-train validate runs/eatt/best --valid-sets test.en test.de");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("BUNDLE", arguments->bundle)->required();
  command->add_option("--valid-sets", arguments->sets, "Source and reference text")
      ->option_text("SRC TGT")
      ->expected(2)
      ->required();
  command->add_option("--output", arguments->output, "Also write the translations")
      ->option_text("FILE");
  command->add_option("--tokenize", arguments->tokenize, "13a, intl, zh, char or none (13a)")
      ->option_text("NAME");
  command->add_flag("--json", arguments->json, "One JSON object with full-precision numbers");
  add_threads_option(*command);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
