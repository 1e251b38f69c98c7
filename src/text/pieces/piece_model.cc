#include "text/pieces/piece_model.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/text/utf8.h"
#include "text/pieces/normalization_rules.h"

namespace eatt {
namespace {

// Reads protocol buffers' wire format: a message is a row of fields, each with a number and one of
// four shapes. Throws a std::string_view that says what is wrong; parse_piece_model() makes the
// sentence.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  // The next field; false at the end of the message.
  bool next() {
    if (bytes_.empty()) return false;
    const uint64_t key = take_varint();
    number = static_cast<int>(key >> 3);
    if (key >> 3 == 0 || key >> 3 > 0x1fffffff) throw std::string_view("a field has no number");
    text = {};
    switch (key & 7) {
      case 0:
        value = take_varint();
        return true;
      case 1:
        take(8);
        return true;
      case 2:
        text = take(take_varint());
        return true;
      case 5:
        std::memcpy(&real, take(sizeof real).data(), sizeof real);
        return true;
      default:
        throw std::string_view("a field has an unknown shape");
    }
  }

  int number = 0;
  uint64_t value = 0;     // Of a varint.
  float real = 0;         // Of 32 bits.
  std::string_view text;  // Of a string or an inner message.

 private:
  uint64_t take_varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    throw std::string_view("a number does not end");
  }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) throw std::string_view("it ends in the middle of a field");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

PieceModel::Piece parse_piece(std::string_view message) {
  PieceModel::Piece piece;
  FieldReader field(message);
  while (field.next()) {
    if (field.number == 1) piece.text = field.text;
    if (field.number == 2) piece.score = field.real;
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6) throw std::string_view("a piece has no known kind");
      piece.kind = static_cast<PieceModel::Kind>(field.value);
    }
  }
  return piece;
}

void parse_trainer(std::string_view message, PieceModel& model) {
  FieldReader field(message);
  while (field.next()) {
    if (field.number == 3) {
      if (field.value < 1 || field.value > 4) throw std::string_view("its algorithm is not known");
      model.algorithm = static_cast<PieceModel::Algorithm>(field.value);
    }
    if (field.number == 24) model.space_as_suffix = field.value != 0;
  }
}

void parse_normalizer(std::string_view message, PieceModel::Normalizer& normalizer) {
  FieldReader field(message);
  while (field.next()) {
    if (field.number == 1) normalizer.name = field.text;
    if (field.number == 2) normalizer.rules = field.text;
    if (field.number == 3) normalizer.add_space_in_front = field.value != 0;
    if (field.number == 4) normalizer.remove_extra_spaces = field.value != 0;
    if (field.number == 5) normalizer.escape_spaces = field.value != 0;
  }
}

void check_pieces(const std::vector<PieceModel::Piece>& pieces) {
  if (pieces.empty()) throw std::string_view("it has no pieces");
  std::unordered_set<std::string_view> seen;
  for (const auto& piece : pieces) {
    if (piece.text.empty()) throw std::string_view("a piece is empty");
    if (piece.text.find('\0') != std::string_view::npos || !is_valid_utf8(piece.text)) {
      throw std::string_view("a piece is not text");
    }
    if (!seen.insert(piece.text).second) throw std::string_view("a piece appears twice");
  }
}

void check_rules(std::string_view rules) {
  if (!NormalizationRules(rules).are_sound()) {
    throw std::string_view("its normalisation table is damaged");
  }
}

void put_varint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void put_number(int field, uint64_t value, std::string& bytes) {
  put_varint(static_cast<uint64_t>(field) << 3, bytes);
  put_varint(value, bytes);
}

void put_text(int field, std::string_view text, std::string& bytes) {
  put_varint(static_cast<uint64_t>(field) << 3 | 2, bytes);
  put_varint(text.size(), bytes);
  bytes += text;
}

void put_real(int field, float value, std::string& bytes) {
  put_varint(static_cast<uint64_t>(field) << 3 | 5, bytes);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

PieceModel parse(std::string_view bytes) {
  PieceModel model;
  FieldReader field(bytes);
  while (field.next()) {
    if (field.number == 1) model.pieces.push_back(parse_piece(field.text));
    if (field.number == 2) {
      parse_trainer(field.text, model);
      model.trainer_message = field.text;
    }
    if (field.number == 3) {
      parse_normalizer(field.text, model.normalizer);
      model.normalizer_message = field.text;
    }
    if (field.number == 5) parse_normalizer(field.text, model.denormalizer);
  }
  check_pieces(model.pieces);
  check_rules(model.normalizer.rules);
  check_rules(model.denormalizer.rules);
  return model;
}

}  // namespace

PieceModel parse_piece_model(std::string_view bytes, std::string_view name) {
  try {
    return parse(bytes);
  } catch (const std::string_view& reason) {
    throw Error(fmt::format(
        "{}: is not a sound SentencePiece model ({}); expected a file made by `eatt corpus pieces "
        "train`, `eatt corpus prepare` or spm_train",
        name, bytes.empty() ? "it is empty" : reason));
  }
}

std::string write_piece_model(const std::vector<PieceModel::Piece>& pieces, const PieceModel& like,
                              double character_coverage) {
  std::string bytes;
  for (const PieceModel::Piece& piece : pieces) {
    std::string message;
    put_text(1, piece.text, message);
    put_real(2, piece.score, message);
    if (piece.kind != PieceModel::Kind::normal) {
      put_number(3, static_cast<uint64_t>(piece.kind), message);
    }
    put_text(1, message, bytes);
  }
  // Of a field that stands twice the last one counts.
  std::string trainer(like.trainer_message);
  put_number(4, pieces.size(), trainer);
  put_real(10, static_cast<float>(character_coverage), trainer);
  put_text(2, trainer, bytes);
  put_text(3, like.normalizer_message, bytes);
  return bytes;
}

}  // namespace eatt
