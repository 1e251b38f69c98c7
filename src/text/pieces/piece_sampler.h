#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "text/pieces/piece_merger.h"

namespace eatt {

// Subword sampling for training (BPE-dropout): the same text, cut differently each time. `ids` is
// an encoding, so a stored data set can be sampled anew in every epoch without its text: its pieces
// are taken apart into characters and merged again, each merge left out with probability `dropout`.
// 0 gives the encoding back, 1 gives characters. Unknown pieces, markers and bytes stay as they
// are.
//
// SentencePiece has such sampling too, but draws from a generator that cannot be seeded per
// sentence: its results depend on which thread took which sentence. Ours depend on `random` alone.
std::vector<int32_t> sample_pieces(const PieceMerger& merger, std::span<const int32_t> ids,
                                   double dropout, Random& random);

}  // namespace eatt
