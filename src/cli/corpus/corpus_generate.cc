#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/progress.h"
#include "builtin/generate.h"
#include "cli/commands.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

constexpr char kExplanation[] =
    "\nWrites DIR/{train,dev,test}.{zh,en,align}; files of these names are replaced. The corpus "
    "is\n"
    "SYNTHETIC: scores on it tell that a model learns, and nothing about real translation.\n"
    "\n"
    "Words and punctuation marks stand apart by one space. A line of .align has the gold links of\n"
    "its sentence (Pharaoh format): i-j links word i of the source with word j of the target,\n"
    "counted from zero. With --raw the Chinese has no spaces, and i counts its characters.\n"
    "\n"
    "A seed gives the same bytes on every machine. Dev and test do not change with --train.\n"
    "\n"
    "Example:\n"
    "  eatt corpus generate --pair zh-en --train 20000 --dev 500 --test 500 --seed 1 --output DIR";

void generate(const std::string& pair_name, builtin::GenerateOptions options) {
  const builtin::LanguagePair& pair = builtin::find_language_pair(pair_name);
  const uint64_t total = options.train + options.dev + options.test;
  Progress progress("generating", total, "pairs");
  options.progress = [&](uint64_t done) { progress.update(done); };
  builtin::generate_corpus(pair, options);
  progress.update(total);
  progress.finish();
}

}  // namespace

void add_corpus_generate(CLI::App& corpus) {
  CLI::App* command = corpus.add_subcommand("generate", "Write the built-in synthetic corpus");
  command->footer(kExplanation);
  const auto pair = std::make_shared<std::string>("zh-en");
  const auto options = std::make_shared<builtin::GenerateOptions>();
  const auto add = [&](const char* name, auto& value, const char* text, const char* type) {
    return command->add_option(name, value, text)->option_text(type)->capture_default_str();
  };
  add("--pair", *pair, "Languages, source first", "SRC-TGT");
  add("--train", options->train, "Pairs to train on", "N");
  add("--dev", options->dev, "Pairs to choose a model by", "N");
  add("--test", options->test, "Pairs to report scores on", "N");
  add("--seed", options->seed, "Another seed, another corpus", "N");
  command->add_option("--output", options->output, "Folder to write to")
      ->option_text("DIR")
      ->required();
  command->add_flag("--raw", options->raw, "Chinese without spaces between words");
  command->callback([pair, options] { generate(*pair, *options); });
}

}  // namespace eatt::cli
