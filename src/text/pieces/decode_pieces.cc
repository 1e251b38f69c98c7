#include "base/text/utf8.h"
#include "text/pieces/segment.h"

namespace eatt {
namespace {

using Kind = PieceModel::Kind;

void append_with_spaces(std::string_view piece, std::string& text) {
  for (size_t mark; (mark = piece.find(kSpaceMark)) != std::string_view::npos;) {
    text += piece.substr(0, mark);
    text += ' ';
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  text += piece;
}

class PieceJoiner {
 public:
  explicit PieceJoiner(const PieceModel& model) : model_(model) {}

  void add(std::string_view piece) {
    const int32_t id = model_.id(piece);
    const Kind kind = model_.pieces[static_cast<size_t>(id)].kind;
    if (kind == Kind::byte) {
      bytes_ += *byte_of_piece(piece);
      return;
    }
    flush_bytes();
    if (front_space_seen_ || !text_.empty()) at_front_ = false;
    front_space_seen_ = false;
    if (kind == Kind::control) return;
    if (kind == Kind::unknown) {
      text_ += id == model_.table.find(piece) ? model_.unknown_text : piece;
      return;
    }
    append_with_spaces(without_front_space(piece), text_);
  }

  std::string take() {
    flush_bytes();
    return std::move(text_);
  }

 private:
  // Drops the space that encoding put in front of the text; if encoding removes extra spaces, then
  // as many pieces of spaces as there are in front.
  std::string_view without_front_space(std::string_view piece) {
    const auto& normalizer = model_.normalizer;
    if (!at_front_ || !(normalizer.add_space_in_front || normalizer.remove_extra_spaces)) {
      return piece;
    }
    if (!piece.starts_with(kSpaceMark)) return piece;
    front_space_seen_ = !normalizer.remove_extra_spaces;
    return piece.substr(kSpaceMark.size());
  }

  void flush_bytes() {
    text_ += replace_invalid_utf8(bytes_);
    bytes_.clear();
  }

  const PieceModel& model_;
  std::string text_;
  std::string bytes_;  // Of byte pieces in a row.
  bool at_front_ = true;
  bool front_space_seen_ = false;
};

}  // namespace

std::string join_pieces(const PieceModel& model, const std::vector<std::string_view>& pieces) {
  PieceJoiner joiner(model);
  for (const std::string_view piece : pieces) joiner.add(piece);
  return joiner.take();
}

}  // namespace eatt
