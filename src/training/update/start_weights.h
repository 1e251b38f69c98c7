#pragma once

#include <filesystem>

#include "text/pieces/pieces.h"
#include "training/update/learner.h"

namespace eatt {

// Gives a learner the weights of a bundle with the same pieces, whatever its mechanisms: what has
// the same name and shape is taken, the rest is named in the log and keeps its random start. Throws
// an Error if the pieces differ or nothing fits.
void start_from_bundle(const std::filesystem::path& bundle, const Pieces& source,
                       const Pieces& target, Learner& learner);

// The teacher of word-level distillation. Throws an Error if its pieces differ.
Transformer load_teacher(const std::filesystem::path& bundle, const Pieces& source,
                         const Pieces& target);

}  // namespace eatt
