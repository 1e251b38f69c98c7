// `eatt corpus`, and its command that writes the built-in corpus.
#include <memory>
#include <string>

#include "base/files/text_file.h"
#include "base/progress.h"
#include "builtin/generate.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

constexpr char kExplanation[] =
    "\nWrites DIR/{train,dev,test}.{zh,en,align}; files of these names with other content are not\n"
    "replaced, unless you add --overwrite. The corpus is SYNTHETIC: scores on it show that a "
    "model\n"
    "learns, and say nothing about real translation.\n"
    "\n"
    "Words and punctuation marks are separated by one space. A line of .align has the gold links "
    "of\n"
    "its sentence (Pharaoh format): i-j links word i of the source with word j of the target,\n"
    "counted from zero. With --raw the Chinese has no spaces, and i counts its characters.\n"
    "\n"
    "A seed gives the same bytes on every machine. Dev and test do not change with --train.";

void generate(const std::string& pair_name, builtin::GenerateOptions options) {
  const builtin::LanguagePair& pair = builtin::find_language_pair(pair_name);
  const uint64_t total = options.train + options.dev + options.test;
  Progress progress("generating", total, "pairs");
  options.progress = [&](uint64_t done) { progress.update(done); };
  builtin::generate_corpus(pair, options);
  progress.update(total);
  progress.finish();
}

void add_corpus_generate(Command& corpus) {
  Command& command =
      corpus.add_command("generate", "Write the built-in synthetic corpus",
                         "eatt corpus generate --pair zh-en --train 20000 --output corpus");
  command.add_note(kExplanation);
  const auto pair = std::make_shared<std::string>("zh-en");
  const auto options = std::make_shared<builtin::GenerateOptions>();
  std::vector<std::string> pairs;
  for (const builtin::LanguagePair& known : builtin::language_pairs())
    pairs.push_back(known.name());
  command.add_option("--pair", *pair, "Languages, source first").shows("SRC-TGT").offers(pairs);
  command.add_option("--train", options->train, "Pairs to train on").shows("N");
  command.add_option("--dev", options->dev, "Pairs for choosing a model").shows("N");
  command.add_option("--test", options->test, "Pairs to report scores on").shows("N");
  command.add_option("--seed", options->seed, "Seed; a different seed gives a different corpus")
      .shows("N");
  command.add_option("--output", options->output, "Folder to write to")
      .shows("DIR")
      .required()
      .fills();
  command.add_flag("--overwrite", options->overwrite,
                   "Replace files of the same names that have other content");
  command.add_flag("--raw", options->raw, "Chinese without spaces between words");
  command.on_run([pair, options] { generate(*pair, *options); });
}

}  // namespace

void add_line_files(Command& command, LineFiles& files) {
  command
      .add_setting(
          "-i,--input", [&files](const std::string& path) { files.input = TextFile(path); },
          "Text, plain or gzip")
      .shows("FILE")
      .default_is("standard input")
      .reads();
  command
      .add_option("-o,--output", files.output,
                  "Output file, written completely or not at all, and compressed if it ends in .gz")
      .shows("FILE")
      .default_is("standard output")
      .writes();
}

void write_lines(const std::string& output, const std::function<void(const WriteText&)>& work) {
  if (output.empty()) return work(print_result);
  TextOutput file(output);
  work([&](std::string_view text) { file.write(text); });
  file.commit();
}

void add_corpus_command(Command& program) {
  Command& corpus = program.add_command("corpus", "Make, check and prepare parallel text",
                                        "eatt corpus generate --pair zh-en --output corpus");
  add_corpus_generate(corpus);
  add_corpus_convert(corpus);
  add_corpus_prepare(corpus);
  add_corpus_pieces(corpus);
  add_corpus_truecase(corpus);
}

}  // namespace eatt::cli
