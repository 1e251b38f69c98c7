#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/files/byte_source.h"
#include "text/pieces/pieces.h"

namespace eatt {

// How pieces are written in text: "▁a ▁dog" or "17 341", separated by spaces.
enum class PieceFormat { piece, id };

struct EncodeLinesOptions {
  PieceFormat format = PieceFormat::piece;
  double dropout = 0;  // Above 0: sampled encodings, see Pieces::sample().
  uint64_t seed = 1;   // Of the sampling; a line's sample depends on it and the line's number.
};

// Writes a line of pieces for each line of text, to `write` in large blocks, in order. Runs on all
// threads; the result does not depend on their number. Throws an Error with the line's number for
// text that is not UTF-8, contains NUL bytes or has more than a megabyte in a line.
void encode_lines(const Pieces& pieces, const TextFile& text, const EncodeLinesOptions& options,
                  const std::function<void(std::string_view)>& write);

// Pieces back to text. Throws an Error with the line's number for anything that is not an id of the
// vocabulary; pieces that are not in it are kept as they are.
void decode_lines(const Pieces& pieces, const TextFile& text, PieceFormat format,
                  const std::function<void(std::string_view)>& write);

}  // namespace eatt
