#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/byte_source.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {

struct LearnPiecesOptions {
  PieceTrainingOptions training;
  uint64_t sample_size = 1'000'000;  // Lines to learn from, chosen at random
  uint64_t seed = 1;                 // by this seed.
  size_t max_line_bytes = 16'384;    // Longer ones are left out, as are those that are not text.
};

// A model learnt from text files (or pipes, which are copied to `spool_folder` meanwhile), as the
// bytes of its file. In bounded memory; warns of lines that were left out.
std::string learn_pieces(const std::vector<TextFile>& files, const LearnPiecesOptions& options,
                         const std::filesystem::path& spool_folder);

}  // namespace eatt
