// `eatt detect`: the language of each line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "bundle/bundle.h"
#include "cli/commands.h"
#include "cli/translate/translate_output.h"
#include "text/corpus/line_reader.h"
#include "text/language/detect_language.h"

namespace eatt::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;

struct Arguments {
  std::vector<std::string> bundles;
  std::string input = "-";
  std::string output;
  bool all = false;
};

std::vector<LanguageProfile> read_profiles(const std::vector<std::string>& bundles) {
  std::vector<LanguageProfile> profiles;
  for (const std::string& path : bundles) {
    const Bundle bundle = Bundle::open(path);
    auto own = bundle.language_profiles();
    if (own.empty()) {
      throw Error(fmt::format(
          "{}: has no {}, from which languages are detected; train the model again with this eatt "
          "and with --source-language and --target-language, if its files do not name them",
          path, kLanguagesFile));
    }
    std::ranges::move(own, std::back_inserter(profiles));
  }
  return profiles;
}

std::string print_guesses(const std::vector<LanguageGuess>& guesses, bool all) {
  std::string line;
  for (const LanguageGuess& guess : guesses) {
    line += fmt::format("{}{}\t{:.3f}", line.empty() ? "" : "\t", guess.language, guess.confidence);
    if (!all) break;
  }
  return line + "\n";
}

void run(const Arguments& arguments) {
  const std::vector<LanguageProfile> profiles = read_profiles(arguments.bundles);
  std::vector<const LanguageProfile*> pointers;
  for (const LanguageProfile& profile : profiles) pointers.push_back(&profile);
  LineReader reader(arguments.input, kMaxLineBytes);
  const auto output = open_line_output(arguments.output);
  for (LineReader::Line line; reader.next(line);) {
    output->write(print_guesses(detect_language(line.text, pointers), arguments.all));
  }
  output->finish();
}

}  // namespace

void add_detect_command(Command& program) {
  Command& command = program.add_command(
      "detect", "Tell the language of text, line by line, by what the models have learned",
      "eatt detect model < text.txt");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("BUNDLE", arguments->bundles, "Model folders; their languages are told apart")
      .required()
      .reads();
  command.add_option("-i,--input", arguments->input, "Text, plain or gzip")
      .shows("FILE")
      .default_is("standard input")
      .reads();
  command.add_option("-o,--output", arguments->output, "Output file")
      .shows("FILE")
      .default_is("standard output")
      .writes();
  command.add_flag("--all", arguments->all, "Print every language, the most likely first");
  command.add_note(
      "Each line gives a language and a confidence from 0 to 1, separated by a tab; und is none of "
      "the languages, or text too short to tell.");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
