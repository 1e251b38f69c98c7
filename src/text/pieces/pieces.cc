#include "text/pieces/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/sentencepiece/library.h"

namespace eatt {
namespace {

constexpr uint64_t kMaxModelBytes = uint64_t{256} << 20;

void check_contract(const PieceModel& model, const std::string& name) {
  if (model.algorithm != PieceModel::Algorithm::bpe) {
    throw Error(
        fmt::format("{}: is not a BPE model; expected one trained with --model_type=bpe or "
                    "by `eatt corpus pieces train`",
                    name));
  }
  using Kind = PieceModel::Kind;
  constexpr std::array<Kind, 4> kKinds = {Kind::control, Kind::unknown, Kind::control,
                                          Kind::control};
  constexpr std::array<std::string_view, 4> kTexts = {"<pad>", "<unk>", "<s>", "</s>"};
  for (size_t id = 0; id < kKinds.size(); ++id) {
    if (id < model.pieces.size() && model.pieces[id].kind == kKinds[id] &&
        model.pieces[id].text == kTexts[id]) {
      continue;
    }
    throw Error(fmt::format(
        "{}: piece {} is {}, expected {}; train it by `eatt corpus pieces train`, or by spm_train "
        "with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3",
        name, id, id < model.pieces.size() ? model.pieces[id].text : "missing", kTexts[id]));
  }
}

// With a space put in front, spaces merged, and no piece that has one inside or at its end, no
// merge ever crosses a space and each word is encoded as if it stood alone. The normalisations
// that come with SentencePiece never look across a space either; others might.
bool is_word_by_word(const PieceModel& model) {
  const auto& normalizer = model.normalizer;
  constexpr std::array<std::string_view, 5> kKnown = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf",
                                                      "identity"};
  if (std::ranges::find(kKnown, normalizer.name) == kKnown.end()) return false;
  if (!normalizer.add_space_in_front || !normalizer.remove_extra_spaces ||
      !normalizer.escape_spaces || model.space_as_suffix) {
    return false;
  }
  bool has_space_mark = false;  // If not, unknown words in a row would become one unknown piece.
  for (const auto& piece : model.pieces) {
    if (piece.kind == PieceModel::Kind::user_defined) return false;
    if (piece.text.find(kSpaceMark, 1) != std::string_view::npos) return false;
    has_space_mark |= piece.text == kSpaceMark && piece.kind == PieceModel::Kind::normal;
  }
  return has_space_mark;
}

}  // namespace

Pieces::Pieces(const std::filesystem::path& file)
    : Pieces(read_file(file, kMaxModelBytes), file.string()) {}

Pieces::Pieces(std::string_view bytes, const std::string& name) : sha256_(sha256_hex(bytes)) {
  const PieceModel model = parse_piece_model(bytes, name);
  check_contract(model, name);
  library_ = load_sentencepiece_model(bytes, name);
  for (const auto& piece : model.pieces) {
    pieces_.emplace_back(piece.text);
    scores_.push_back(piece.score);
    is_normal_.push_back(piece.kind == PieceModel::Kind::normal);
  }
  word_by_word_ = is_word_by_word(model);
  rules_ = model.normalizer.rules;
}

Pieces::Pieces(Pieces&&) noexcept = default;
Pieces& Pieces::operator=(Pieces&&) noexcept = default;
Pieces::~Pieces() = default;

std::vector<int32_t> Pieces::encode(std::string_view text) const { return library_->encode(text); }

void Pieces::append_encoded(std::string_view text, std::vector<int32_t>& ids) const {
  const std::vector<int32_t> encoded = encode(text);
  ids.insert(ids.end(), encoded.begin(), encoded.end());
}

std::string Pieces::decode(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) {
    if (id < 0 || id >= size()) {
      throw Error(fmt::format("piece id {} is outside the vocabulary of {} pieces", id, size()));
    }
  }
  return library_->decode(std::vector<int32_t>(ids.begin(), ids.end()));
}

std::string Pieces::decode_pieces(const std::vector<std::string_view>& pieces) const {
  return library_->decode(pieces);
}

int32_t Pieces::id(std::string_view piece) const { return library_->id(piece); }

}  // namespace eatt
