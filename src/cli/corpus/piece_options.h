#pragma once

#include <CLI/CLI.hpp>

#include "text/pieces/piece_trainer.h"

namespace eatt::cli {

// --character-coverage, --byte-fallback and --sample-characters, wherever pieces are learnt.
void add_piece_training_options(CLI::App& command, PieceTrainingOptions& options);

}  // namespace eatt::cli
