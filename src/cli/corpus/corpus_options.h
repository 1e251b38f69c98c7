#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "text/corpus/pair_reader.h"
#include "text/pieces/piece_trainer.h"

namespace eatt::cli {

// The files of --train-sets SRC TGT … and --tsv FILE …. Throws a UsageError if a source has no
// target.
std::vector<PairInput> pair_inputs(const std::vector<std::string>& train_sets,
                                   const std::vector<std::string>& tsv);

// --character-coverage, --byte-fallback and --sample-characters, for commands that learn pieces.
void add_piece_training_options(Command& command, PieceTrainingOptions& options);

}  // namespace eatt::cli
