#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/piece_index.h"

namespace eatt {

// Ids that all our vocabularies have. Stored data never holds them; batches add them.
inline constexpr int32_t kPadPiece = 0;
inline constexpr int32_t kUnknownPiece = 1;
inline constexpr int32_t kStartPiece = 2;
inline constexpr int32_t kEndPiece = 3;

// SentencePiece's mark for a space, U+2581.
inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";
inline constexpr char32_t kSpaceMarkCharacter = U'\u2581';

// What a SentencePiece model file says. Views: the file's bytes must outlive it.
struct PieceModel {
  enum class Kind : uint8_t { normal = 1, unknown, control, user_defined, unused, byte };
  enum class Algorithm : uint8_t { unigram = 1, bpe, word, character };

  struct Piece {
    std::string_view text;
    float score = 0;
    Kind kind = Kind::normal;
  };
  struct Normalizer {
    std::string_view name;
    std::string_view rules;  // The compiled table, see normalizer.h; empty for identity.
    bool add_space_in_front = true;
    bool remove_extra_spaces = true;
    bool escape_spaces = true;  // Writes them as space marks.
  };

  // The id of a piece; kUnknownPiece if there is no such piece.
  int32_t id(std::string_view text) const {
    const int32_t found = table.find(text);
    return found < 0 ? kUnknownPiece : found;
  }

  std::vector<Piece> pieces;  // By id.
  PieceTable table;           // Their texts.
  Algorithm algorithm = Algorithm::unigram;
  bool space_as_suffix = false;
  bool byte_fallback = false;                  // Then there are 256 byte pieces, <0x00> to <0xFF>.
  std::string_view unknown_text = " \u2047 ";  // What an unknown piece is decoded to.
  Normalizer normalizer;
  Normalizer denormalizer;  // Applied to decoded text if it has rules.
};

// Throws an Error that begins with `name` and says what is wrong with the file: not a model at all,
// cut off, pieces that are empty or appear twice, normalisation tables with broken references, or
// other ids than those above.
PieceModel parse_piece_model(std::string_view bytes, std::string_view name);

// "<0x0A>" and the like.
std::string byte_piece(unsigned char byte);
// The byte of such a piece; nothing for other text.
std::optional<char> byte_of_piece(std::string_view piece);

}  // namespace eatt
