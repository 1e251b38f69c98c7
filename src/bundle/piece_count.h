#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace eatt {

// How many pieces a SentencePiece model (.spm) holds, without the SentencePiece library: the file
// is a protocol-buffer message whose field 1, repeated, is a piece. Walks over the message's
// top-level fields and reads none of their insides. Throws an Error naming `file_name` if the bytes
// are not such a message or hold no piece.
size_t count_pieces(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace eatt
