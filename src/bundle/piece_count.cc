#include "bundle/piece_count.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/protobuf.h"

namespace eatt {

size_t count_pieces(std::span<const std::byte> bytes, const std::string& file_name) {
  constexpr uint32_t kPieceField = 1;
  size_t pieces = 0;
  try {
    ProtobufReader field({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    while (field.next()) {
      if (field.number() != kPieceField) continue;
      field.bytes();  // Checks its type.
      ++pieces;
    }
  } catch (const ProtobufError& error) {
    throw Error(fmt::format("{}: is not a SentencePiece model: {}; copy the file again", file_name,
                            error.what()));
  }
  if (pieces == 0) {
    throw Error(fmt::format(
        "{}: has no pieces in its {} bytes, expected a SentencePiece model; copy the file again",
        file_name, bytes.size()));
  }
  return pieces;
}

}  // namespace eatt
