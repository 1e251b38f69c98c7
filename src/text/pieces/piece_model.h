#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// What a SentencePiece model file says, read by ourselves before the library sees it: the library
// does not check all of it and would run past the end of damaged tables.
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
    std::string_view rules;  // The compiled table; empty for identity.
    bool add_space_in_front = true;
    bool remove_extra_spaces = true;
    bool escape_spaces = true;
  };

  std::vector<Piece> pieces;  // By id. All views point into the file's bytes.
  Algorithm algorithm = Algorithm::unigram;
  bool space_as_suffix = false;
  Normalizer normalizer;
  Normalizer denormalizer;
  // The messages that the last fields come from, as they stand in the file.
  std::string_view trainer_message;
  std::string_view normalizer_message;
};

// Throws an Error that begins with `name` and says what is wrong with the file: not a model at all,
// cut off, pieces that are empty or appear twice, normalisation tables with broken references.
PieceModel parse_piece_model(std::string_view bytes, std::string_view name);

// The bytes of a model file: these pieces, and the settings of `like` with this vocabulary size and
// character coverage.
std::string write_piece_model(const std::vector<PieceModel::Piece>& pieces, const PieceModel& like,
                              double character_coverage);

}  // namespace eatt
