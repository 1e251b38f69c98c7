#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/program.h"
#include "text/pieces/piece_encoder.h"
#include "text/pieces/piece_trainer.h"
#include "text/pieces/pieces.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::vector<std::string> inputs = {"-"};
  fs::path output;
  LearnPiecesOptions options;
};

bool is_piece_model(const fs::path& file) {
  Pieces{file};  // Throws an Error if it is none.
  return true;
}

// For what has to be kept meanwhile: beside the model, where there is room for it.
fs::path working_folder(const fs::path& model) {
  if (is_written_through(model)) return fs::temp_directory_path();
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  make_folder(folder);
  return folder;
}

void train(const TrainArguments& arguments) {
  const std::vector<TextFile> files(arguments.inputs.begin(), arguments.inputs.end());
  const std::string model =
      learn_pieces(files, arguments.options, working_folder(arguments.output));
  write_file_atomically(arguments.output, model);
  const Pieces pieces(model, arguments.output.string());
  print_report(fmt::format("{}: {} pieces, SHA-256 {}\n", arguments.output.string(), pieces.size(),
                           pieces.sha256()),
               arguments.output);
}

void add_train(Command& parent) {
  Command& command =
      parent.add_command("train", "Learn BPE pieces from text",
                         "eatt corpus pieces train --input train.en train.de --vocab-size "
                         "8000 --output joint.spm");
  const auto arguments = std::make_shared<TrainArguments>();
  command.extra_arguments_mean({"--input", ""});
  command.add_option("--input", arguments->inputs, "Text, plain or gzip, one sentence per line")
      .shows("FILE...")
      .reads();
  command.add_option("--output", arguments->output, "The model file")
      .shows("MODEL")
      .required()
      .writes({"a model of pieces", is_piece_model});
  command
      .add_option("--vocab-size", arguments->options.training.vocab_size,
                  "Pieces to learn, including the markers <pad>, <unk>, <s> and </s>")
      .shows("N");
  add_piece_training_options(command, arguments->options.training);
  command
      .add_option("--sample-size", arguments->options.sample_size,
                  "Number of random lines to learn from")
      .shows("N");
  command.add_option("--seed", arguments->options.seed, "Seed for choosing the sample").shows("N");
  command.on_run([arguments] { train(*arguments); });
}

struct ConvertArguments {
  std::filesystem::path model;
  LineFiles files;
  EncodeLinesOptions options;
};

void add_model_and_format(Command& command, ConvertArguments& arguments, const char* format_option,
                          const char* what) {
  command.add_option("model", arguments.model, "A .spm file").shows("MODEL").required().reads();
  command.add_choice(format_option, arguments.options.format,
                     {{"piece", PieceFormat::piece}, {"id", PieceFormat::id}}, what);
  add_line_files(command, arguments.files);
  command.extra_arguments_mean({"-i", "-o"});
  command.add_threads_option();
}

void add_encode(Command& parent) {
  Command& command =
      parent.add_command("encode", "Turn text into pieces, line by line",
                         "eatt corpus pieces encode joint.spm -i train.en.gz -o train.pieces.gz");
  const auto arguments = std::make_shared<ConvertArguments>();
  add_model_and_format(command, *arguments, "--output-format", "Pieces as text, or as ids");
  command
      .add_option("--dropout", arguments->options.dropout,
                  "Skip merges with this probability, to get other pieces for the same text, as in "
                  "training with subword sampling",
                  Range{0, 1})
      .shows("P");
  command.add_option("--seed", arguments->options.seed, "Seed for the dropout").shows("N");
  command.on_run([arguments] {
    const Pieces pieces(arguments->model);
    write_lines(arguments->files.output, [&](const WriteText& write) {
      encode_lines(pieces, arguments->files.input, arguments->options, write);
    });
  });
}

void add_decode(Command& parent) {
  Command& command =
      parent.add_command("decode", "Turn pieces back into text, line by line",
                         "eatt corpus pieces decode joint.spm --input-format id < ids > text");
  const auto arguments = std::make_shared<ConvertArguments>();
  add_model_and_format(command, *arguments, "--input-format", "Pieces as text, or as ids");
  command.on_run([arguments] {
    const Pieces pieces(arguments->model);
    write_lines(arguments->files.output, [&](const WriteText& write) {
      decode_lines(pieces, arguments->files.input, arguments->options.format, write);
    });
  });
}

}  // namespace

void add_piece_training_options(Command& command, PieceTrainingOptions& options) {
  command
      .add_option("--character-coverage", options.character_coverage,
                  "Share of the text's characters that get their own piece, 0.98 to 1")
      .shows("X")
      .default_is("0.9995 for Chinese, Japanese and Korean, otherwise 1");
  command.add_flag("--byte-fallback", options.byte_fallback,
                   "Write unknown characters as bytes; takes 256 pieces of the vocabulary");
  command
      .add_option(
          "--sample-characters", options.max_characters,
          "Limit on the characters of distinct words to learn from; each takes 40 bytes of memory")
      .shows("N");
}

void add_corpus_pieces(Command& corpus) {
  Command& pieces = corpus.add_command("pieces", "Learn subword pieces, encode and decode text",
                                       "eatt corpus pieces encode joint.spm < text > pieces");
  pieces.add_hint("learn", "`eatt corpus pieces train` learns pieces");
  for (const char* name : {"apply", "tokenize", "split"}) {
    pieces.add_hint(name, "`eatt corpus pieces encode` turns text into pieces");
  }
  for (const char* name : {"detokenize", "join"}) {
    pieces.add_hint(name, "`eatt corpus pieces decode` turns pieces into text");
  }
  add_train(pieces);
  add_encode(pieces);
  add_decode(pieces);
}

}  // namespace eatt::cli
