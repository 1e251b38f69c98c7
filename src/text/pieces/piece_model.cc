#include "text/pieces/piece_model.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/text/protobuf.h"
#include "base/text/utf8.h"
#include "text/pieces/normalizer.h"

namespace eatt {
namespace {

using Kind = PieceModel::Kind;

PieceModel::Piece parse_piece(std::string_view message) {
  PieceModel::Piece piece;
  ProtobufReader field(message);
  while (field.next()) {
    if (field.number() == 1) piece.text = field.bytes();
    if (field.number() == 2) piece.score = field.fixed32_float();
    if (field.number() == 3) {
      if (field.varint() < 1 || field.varint() > 6) throw Error("a piece is of an unknown kind");
      piece.kind = static_cast<Kind>(field.varint());
    }
  }
  return piece;
}

void parse_trainer(std::string_view message, PieceModel& model) {
  ProtobufReader field(message);
  while (field.next()) {
    if (field.number() == 3) {
      if (field.varint() < 1 || field.varint() > 4) throw Error("its algorithm is unknown");
      model.algorithm = static_cast<PieceModel::Algorithm>(field.varint());
    }
    if (field.number() == 24) model.space_as_suffix = field.varint() != 0;
    if (field.number() == 35) model.byte_fallback = field.varint() != 0;
    if (field.number() == 44) model.unknown_text = field.bytes();
  }
}

void parse_normalizer(std::string_view message, PieceModel::Normalizer& normalizer) {
  ProtobufReader field(message);
  while (field.next()) {
    if (field.number() == 1) normalizer.name = field.bytes();
    if (field.number() == 2) normalizer.rules = field.bytes();
    if (field.number() == 3) normalizer.add_space_in_front = field.varint() != 0;
    if (field.number() == 4) normalizer.remove_extra_spaces = field.varint() != 0;
    if (field.number() == 5) normalizer.escape_spaces = field.varint() != 0;
  }
}

void check_pieces(PieceModel& model) {
  if (model.pieces.empty()) throw Error("it has no pieces");
  model.table = PieceTable(model.pieces.size());
  size_t unknown = 0, bytes = 0;
  for (const auto& piece : model.pieces) {
    if (piece.text.empty()) throw Error("a piece is empty");
    if (piece.text.find('\0') != std::string_view::npos || !is_valid_utf8(piece.text)) {
      throw Error("a piece is not text");
    }
    if (!model.table.add(piece.text)) throw Error("a piece appears twice");
    unknown += piece.kind == Kind::unknown;
    if (piece.kind != Kind::byte) continue;
    if (!byte_of_piece(piece.text)) throw Error("a byte piece has no byte");
    ++bytes;
  }
  if (unknown != 1) throw Error(fmt::format("it has {} unknown pieces, expected 1", unknown));
  const size_t expected = model.byte_fallback ? 256 : 0;
  if (bytes != expected) {
    throw Error(fmt::format("it has {} byte pieces, expected {}", bytes, expected));
  }
}

PieceModel parse(std::string_view bytes) {
  PieceModel model;
  bool has_trainer = false, has_normalizer = false;
  ProtobufReader field(bytes);
  while (field.next()) {
    if (field.number() == 1) model.pieces.push_back(parse_piece(field.bytes()));
    if (field.number() == 2) parse_trainer(field.bytes(), model);
    if (field.number() == 3) parse_normalizer(field.bytes(), model.normalizer);
    if (field.number() == 5) parse_normalizer(field.bytes(), model.denormalizer);
    has_trainer |= field.number() == 2;
    has_normalizer |= field.number() == 3;
  }
  // All settings have defaults, so a file cut off between two pieces would pass for another model.
  if (!has_trainer || !has_normalizer) throw Error("its settings are missing");
  check_pieces(model);
  for (const auto& normalizer : {model.normalizer, model.denormalizer}) {
    if (!NormalizationRules(normalizer.rules).are_sound()) {
      throw Error("its normalization table is damaged");
    }
  }
  return model;
}

void check_ids(const PieceModel& model, std::string_view name) {
  constexpr std::array<Kind, 4> kKinds = {Kind::control, Kind::unknown, Kind::control,
                                          Kind::control};
  constexpr std::array<std::string_view, 4> kTexts = {"<pad>", "<unk>", "<s>", "</s>"};
  for (size_t id = 0; id < kKinds.size(); ++id) {
    const std::string_view text = id < model.pieces.size() ? model.pieces[id].text : "missing";
    if (text == kTexts[id] && model.pieces[id].kind == kKinds[id]) continue;
    throw Error(fmt::format(
        "{}: piece {} is {}, expected {}; train it with `eatt corpus pieces train`, or with "
        "spm_train --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3",
        name, id, text, kTexts[id]));
  }
}

}  // namespace

PieceModel parse_piece_model(std::string_view bytes, std::string_view name) {
  PieceModel model;
  try {
    model = parse(bytes);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}: is not a valid SentencePiece model ({}); expected a file made by `eatt "
                    "corpus pieces train`, `eatt corpus prepare` or spm_train",
                    name, bytes.empty() ? "it is empty" : error.what()));
  }
  check_ids(model, name);
  return model;
}

std::string byte_piece(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<char> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return {};
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const size_t high = kDigits.find(piece[3]), low = kDigits.find(piece[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return {};
  return static_cast<char>(high * 16 + low);
}

}  // namespace eatt
