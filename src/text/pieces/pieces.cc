#include "text/pieces/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/utf8.h"
#include "text/pieces/normalizer.h"
#include "text/pieces/segment.h"

namespace eatt {
namespace {

constexpr uint64_t kMaxModelBytes = uint64_t{256} << 20;

using Algorithm = PieceModel::Algorithm;
using Kind = PieceModel::Kind;

PieceTrie user_defined_pieces(const PieceModel& model) {
  std::vector<PieceTrie::Key> keys;
  for (const auto& piece : model.pieces) {
    if (piece.kind == Kind::user_defined) keys.push_back({piece.text, 0});
  }
  return PieceTrie(std::move(keys));
}

std::vector<int32_t> byte_pieces(const PieceModel& model) {
  std::vector<int32_t> ids;
  for (int byte = 0; byte < 256 && model.byte_fallback; ++byte) {
    ids.push_back(model.id(byte_piece(static_cast<unsigned char>(byte))));
  }
  return ids;
}

// With a space put in front, spaces merged, and no piece that has one inside or at its end, no
// merge ever crosses a space and each word is encoded as if it stood alone. The rules that come
// with SentencePiece never look across a space either; others might.
bool is_word_by_word(const PieceModel& model) {
  const auto& normalizer = model.normalizer;
  constexpr std::array<std::string_view, 5> kKnown = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf",
                                                      "identity"};
  if (model.algorithm != Algorithm::bpe) return false;
  if (std::ranges::find(kKnown, normalizer.name) == kKnown.end()) return false;
  if (!normalizer.add_space_in_front || !normalizer.remove_extra_spaces ||
      !normalizer.escape_spaces || model.space_as_suffix) {
    return false;
  }
  bool has_space_mark = false;  // If not, unknown words in a row would become one unknown piece.
  for (const auto& piece : model.pieces) {
    if (piece.kind == Kind::user_defined) return false;
    if (piece.text.find(kSpaceMark, 1) != std::string_view::npos) return false;
    has_space_mark |= piece.text == kSpaceMark && piece.kind == Kind::normal;
  }
  return has_space_mark;
}

// Calls use(word) for each word of normalised text; all but the first begin with a space mark.
template <typename Use>
void for_each_word(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(kSpaceMark, 1), text.size());
    use(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace

struct Pieces::Tables {
  Tables(std::string_view file, const std::string& name)
      : bytes(file),
        model(parse_piece_model(bytes, name)),
        user_defined(user_defined_pieces(model)),
        byte_ids(byte_pieces(model)),
        normalizer(model.normalizer, model.space_as_suffix, user_defined),
        denormalizer(model.denormalizer, false, nothing) {
    if (model.algorithm == Algorithm::bpe) bpe.emplace(model, user_defined);
    if (model.algorithm == Algorithm::unigram) unigram.emplace(model);
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  const std::string bytes;  // The file. Everything below refers to it.
  const PieceModel model;
  const PieceTrie nothing;
  const PieceTrie user_defined;
  const std::vector<int32_t> byte_ids;
  const Normalizer normalizer;
  const Normalizer denormalizer;
  std::optional<Bpe> bpe;
  std::optional<Unigram> unigram;
};

struct Pieces::Scratch::Buffers {
  std::string normalized;
  Bpe::Scratch bpe;
  Unigram::Scratch unigram;
};

Pieces::Scratch::Scratch() : buffers_(std::make_unique<Buffers>()) {}
Pieces::Scratch::~Scratch() = default;

Pieces::Pieces(const std::filesystem::path& file)
    : Pieces(read_file(file, kMaxModelBytes), file.string()) {}

Pieces::Pieces(std::string_view bytes, const std::string& name)
    : tables_(std::make_unique<const Tables>(bytes, name)), sha256_(sha256_hex(bytes)) {
  for (const auto& piece : tables_->model.pieces) {
    texts_.emplace_back(piece.text);
    is_normal_.push_back(piece.kind == Kind::normal);
  }
  word_by_word_ = is_word_by_word(tables_->model);
}

Pieces::Pieces(Pieces&&) noexcept = default;
Pieces& Pieces::operator=(Pieces&&) noexcept = default;
Pieces::~Pieces() = default;

std::vector<int32_t> Pieces::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  append_encoded(text, ids);
  return ids;
}

void Pieces::append_encoded(std::string_view text, std::vector<int32_t>& ids) const {
  Scratch scratch;
  append_encoded(text, scratch, ids);
}

void Pieces::append_encoded(std::string_view text, Scratch& scratch,
                            std::vector<int32_t>& ids) const {
  const PieceModel& model = tables_->model;
  auto& [normalized, bpe, unigram] = *scratch.buffers_;
  tables_->normalizer.normalize(text, normalized);
  SegmentWriter writer(tables_->byte_ids, ids);
  switch (model.algorithm) {
    case Algorithm::bpe:
      return tables_->bpe->segment(normalized, bpe, writer);
    case Algorithm::unigram:
      return tables_->unigram->segment(normalized, unigram, writer);
    case Algorithm::word:
      return for_each_word(normalized,
                           [&](std::string_view word) { writer.add(word, model.id(word)); });
    case Algorithm::character:
      for (std::string_view rest = normalized; !rest.empty();) {
        const size_t fixed = tables_->user_defined.longest_prefix(rest);
        const std::string_view front = rest.substr(0, fixed > 0 ? fixed : front_length(rest));
        writer.add(front, model.id(front));
        rest.remove_prefix(front.size());
      }
  }
}

void Pieces::prepare_for_corpus() const {
  if (tables_->bpe) tables_->bpe->index_merges();
}

std::vector<int32_t> Pieces::sample(std::span<const int32_t> ids, double dropout,
                                    Random& random) const {
  if (!tables_->bpe)
    throw Error("only BPE models can be sampled, and this is a model of another type");
  return tables_->bpe->sample(ids, dropout, random);
}

std::string Pieces::decode(std::span<const int32_t> ids) const {
  std::vector<std::string_view> pieces;
  pieces.reserve(ids.size());
  for (const int32_t id : ids) {
    if (id < 0 || id >= size()) {
      throw Error(fmt::format("piece id {} is outside the vocabulary of {} pieces", id, size()));
    }
    pieces.push_back(piece(id));
  }
  return decode_pieces(pieces);
}

std::string Pieces::decode_pieces(const std::vector<std::string_view>& pieces) const {
  std::string text = join_pieces(tables_->model, pieces);
  if (tables_->model.denormalizer.rules.empty()) return text;
  std::string denormalized;
  tables_->denormalizer.normalize(text, denormalized);
  return denormalized;
}

int32_t Pieces::id(std::string_view piece) const { return tables_->model.id(piece); }

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
