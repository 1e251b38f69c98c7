#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// Ids that every vocabulary of ours has. They never stand in stored data; batches add them.
inline constexpr int32_t kPadPiece = 0;
inline constexpr int32_t kUnknownPiece = 1;
inline constexpr int32_t kStartPiece = 2;
inline constexpr int32_t kEndPiece = 3;

class SentencePieceModel;

// A SentencePiece BPE vocabulary: text to piece ids and back. Const and shared: every function may
// be called from many threads at once.
class Pieces {
 public:
  // Throws an Error if the file is damaged, is no BPE model, or has other ids than those above.
  explicit Pieces(const std::filesystem::path& file);
  // The same for a model in memory; `name` is what errors call it.
  Pieces(std::string_view bytes, const std::string& name);
  Pieces(Pieces&&) noexcept;
  Pieces& operator=(Pieces&&) noexcept;
  ~Pieces();

  int size() const { return static_cast<int>(pieces_.size()); }
  // SHA-256 of the model file: two vocabularies with the same digest are the same.
  const std::string& sha256() const { return sha256_; }

  // Text as ids, no markers. Text that is not valid UTF-8 is not an error here: the library puts
  // U+FFFD in place of each wrong byte.
  std::vector<int32_t> encode(std::string_view text) const;
  void append_encoded(std::string_view text, std::vector<int32_t>& ids) const;

  // Ids as text. Markers and padding vanish, unknown pieces become " ⁇ ". Throws an Error for an id
  // outside the vocabulary.
  std::string decode(std::span<const int32_t> ids) const;
  std::string decode_pieces(const std::vector<std::string_view>& pieces) const;

  // "▁the" and its like, the markers as <pad>, <unk>, <s>, </s>.
  const std::string& piece(int32_t id) const { return pieces_[static_cast<size_t>(id)]; }
  int32_t id(std::string_view piece) const;  // kUnknownPiece if there is no such piece.
  // Made by merging, so neither a marker nor a byte nor a user-defined symbol.
  bool is_normal(int32_t id) const { return is_normal_[static_cast<size_t>(id)]; }
  float score(int32_t id) const { return scores_[static_cast<size_t>(id)]; }

  // Whether the encoding of a text is that of its words, split at spaces, one after another. True
  // for every model that we train; not for models whose pieces may hold inner spaces.
  bool encodes_word_by_word() const { return word_by_word_; }
  // The compiled table, see normalization_rules.h.
  std::string_view normalization_rules() const { return rules_; }

 private:
  std::unique_ptr<SentencePieceModel> library_;
  std::vector<std::string> pieces_;
  std::vector<float> scores_;
  std::vector<bool> is_normal_;
  std::string sha256_;
  std::string rules_;
  bool word_by_word_ = false;
};

// SentencePiece's mark for a space, U+2581.
inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";
inline constexpr char32_t kSpaceMarkCharacter = U'\u2581';

}  // namespace eatt
