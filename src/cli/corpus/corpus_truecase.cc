#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/text_check.h"
#include "base/files/text_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "text/truecase/truecase.h"

namespace eatt::cli {
namespace {

// Calls on_line(line, end) for each line of the file; end is "\n", or "" if the last line has none.
template <typename OnLine>
void for_each_line(const TextFile& file, const OnLine& on_line) {
  const auto source = open_bytes(file);
  std::vector<char> block(1 << 16);
  std::string line;
  bool is_first = true;
  while (const size_t size = source->read(block)) {
    std::string_view rest(block.data(), size);
    if (std::exchange(is_first, false)) expect_text(file.name, rest);
    for (size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
      line += rest.substr(0, end);
      on_line(line, "\n");
      line.clear();
    }
    line += rest;
  }
  if (!line.empty()) on_line(line, "");
}

void rewrite_lines(const LineFiles& files,
                   const std::function<std::string(std::string_view)>& rewrite) {
  write_lines(files.output, [&](const WriteText& write) {
    for_each_line(files.input, [&](const std::string& line, std::string_view end) {
      write(rewrite(line));
      write(end);
    });
  });
}

void train(const std::vector<std::string>& corpora, const std::string& model,
           const TruecaseTrainingOptions& options) {
  TruecaseTraining training(options);
  Progress progress("counting words", 0, "lines");
  uint64_t lines = 0;
  const auto count = [&](const std::string& line, std::string_view) {
    training.add(line);
    progress.update(++lines);
  };
  for (const std::string& corpus : corpora) for_each_line(corpus, count);
  progress.finish();
  if (training.invalid_words() > 0) {
    spdlog::warn("left out: {} with invalid UTF-8", format_count(training.invalid_words(), "word"));
  }
  if (training.distinct_forms() == 0) {
    throw Error(
        fmt::format("{}: not written: {} of text, in which every word starts a sentence; give the "
                    "training text, one sentence per line",
                    model, format_count(lines, "line")));
  }
  training.write(model);
  spdlog::info("{}: {} forms of words", model, format_count(training.distinct_forms()));
}

bool is_truecase_model(const std::filesystem::path& file) {
  Truecaser{file};  // Throws an Error if it is none.
  return true;
}

void add_raw_text_flag(Command& command, TextForm& form) {
  command.add_flag(
      "--raw-text", [&form](bool on) { form = on ? TextForm::raw : TextForm::tokenized; },
      "The text is not tokenized: separate punctuation from words");
}

void add_train(Command& truecase) {
  struct Options {
    std::vector<std::string> corpora = {"-"};
    std::string model;
    TruecaseTrainingOptions training;
  };
  const auto options = std::make_shared<Options>();
  Command& command =
      truecase.add_command("train", "Learn how words are capitalized inside sentences",
                           "eatt corpus truecase train --model truecase.en < train.en");
  command.add_option("--model", options->model, "Model to write, in Moses' format")
      .required()
      .shows("FILE")
      .writes({"a truecasing model", is_truecase_model});
  command.add_option("--corpus", options->corpora, "Text to learn from, plain or gzip")
      .shows("FILE...")
      .default_is("standard input")
      .reads();
  command.add_flag("--possibly-use-first-token", options->training.use_first_words,
                   "Also count lower-case first words, and a word alone on its line as a tenth");
  add_raw_text_flag(command, options->training.form);
  command.on_run([options] { train(options->corpora, options->model, options->training); });
}

void add_apply(Command& truecase) {
  struct Options {
    std::string model;
    TextForm form = TextForm::tokenized;
    LineFiles files;
  };
  const auto options = std::make_shared<Options>();
  Command& command = truecase.add_command(
      "apply", "Write words in the letter case that the model has learned",
      "eatt corpus truecase apply --model truecase.en < train.en > train.true.en");
  command.add_option("--model", options->model, "Model made by `train` or by Moses")
      .required()
      .shows("FILE")
      .reads();
  add_raw_text_flag(command, options->form);
  add_line_files(command, options->files);
  command.on_run([options] {
    const Truecaser truecaser(options->model, options->form);
    rewrite_lines(options->files, [&](std::string_view line) { return truecaser.apply(line); });
  });
}

void add_undo(Command& truecase) {
  struct Options {
    TextForm form = TextForm::tokenized;
    LineFiles files;
  };
  const auto options = std::make_shared<Options>();
  Command& command = truecase.add_command("undo", "Capitalize the first word of each sentence",
                                          "eatt corpus truecase undo < output.true.en > output.en");
  add_raw_text_flag(command, options->form);
  add_line_files(command, options->files);
  command.on_run([options] {
    rewrite_lines(options->files,
                  [&](std::string_view line) { return undo_truecase(line, options->form); });
  });
}

}  // namespace

void add_corpus_truecase(Command& corpus) {
  Command& truecase =
      corpus.add_command("truecase", "Truecase text as Moses does: The dog -> the dog",
                         "eatt corpus truecase train --model truecase.en < train.en");
  add_train(truecase);
  add_apply(truecase);
  add_undo(truecase);
}

}  // namespace eatt::cli
