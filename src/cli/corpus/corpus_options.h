#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "text/corpus/pair_reader.h"
#include "text/pieces/piece_trainer.h"

namespace eatt::cli {

// What --tsv FILE … and --tsv-columns S,T say.
struct TsvOptions {
  std::vector<std::string> files;
  TsvColumns columns;
};
void add_tsv_options(Command& command, TsvOptions& tsv);
void add_tsv_columns_option(Command& command, TsvColumns& columns);

// The files of --train-sets SRC TGT … and --tsv FILE …. Throws a UsageError if a source has no
// target, or if columns are chosen of no file.
std::vector<PairInput> pair_inputs(const std::vector<std::string>& train_sets,
                                   const TsvOptions& tsv);

// -i and -o of commands that rewrite lines one by one.
struct LineFiles {
  TextFile input = "-";
  std::string output;  // Empty: standard output.
};
void add_line_files(Command& command, LineFiles& files);

// Calls work(write), where write(text) takes result lines. An output file appears, whole, when the
// work is done.
using WriteText = std::function<void(std::string_view)>;
void write_lines(const std::string& output, const std::function<void(const WriteText&)>& work);

// --character-coverage, --byte-fallback and --sample-characters, for commands that learn pieces.
void add_piece_training_options(Command& command, PieceTrainingOptions& options);

}  // namespace eatt::cli
