#pragma once

#include <string>

#include "bundle/manifest.h"
#include "runtime/layers/model.h"
#include "text/pieces/pieces.h"

namespace eatt {

// How a model translates a sentence by greedy search, for other machines to compare with.
GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source);

}  // namespace eatt
