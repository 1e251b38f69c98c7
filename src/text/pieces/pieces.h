#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "text/pieces/piece_model.h"

namespace eatt {

// A SentencePiece vocabulary (BPE, unigram, word or character): text to piece ids and back, exactly
// as SentencePiece does it. Const and shared: every function may be called from many threads at
// once. Time is linear in the text, or n log n for BPE.
class Pieces {
 public:
  // Buffers of encoding, for reuse. One per thread.
  class Scratch {
   public:
    Scratch();
    ~Scratch();

   private:
    friend class Pieces;
    struct Buffers;
    std::unique_ptr<Buffers> buffers_;
  };

  // Throws an Error if the file is damaged or has other ids than those of piece_model.h.
  explicit Pieces(const std::filesystem::path& file);
  // The same for a model in memory; `name` is what errors call it.
  Pieces(std::string_view bytes, const std::string& name);
  Pieces(Pieces&&) noexcept;
  Pieces& operator=(Pieces&&) noexcept;
  ~Pieces();

  int size() const { return static_cast<int>(texts_.size()); }
  // SHA-256 of the model file: two vocabularies with the same digest are the same.
  const std::string& sha256() const { return sha256_; }

  // Text as ids, no markers. Text that is not valid UTF-8 is not an error here: each wrong byte is
  // read as U+FFFD.
  std::vector<int32_t> encode(std::string_view text) const;
  void append_encoded(std::string_view text, std::vector<int32_t>& ids) const;
  void append_encoded(std::string_view text, Scratch& scratch, std::vector<int32_t>& ids) const;

  // Makes the encoding of a BPE model faster from now on, for a few milliseconds of work: worth it
  // for a corpus, not for a sentence.
  void prepare_for_corpus() const;

  // Subword sampling for training (BPE-dropout): another encoding of the text that `ids` encode, so
  // a stored data set can be sampled anew in every epoch. Each merge is left out with probability
  // `dropout`; see Bpe::sample(). SentencePiece draws from a generator that cannot be seeded per
  // sentence; the result here depends on `random` alone. Throws an Error if this is no BPE model.
  std::vector<int32_t> sample(std::span<const int32_t> ids, double dropout, Random& random) const;

  // Ids as text. Markers and padding vanish, unknown pieces become " ⁇ ". Throws an Error for an id
  // outside the vocabulary.
  std::string decode(std::span<const int32_t> ids) const;
  // The same for pieces as text; those that are not in the vocabulary are kept as they are.
  std::string decode_pieces(const std::vector<std::string_view>& pieces) const;

  // "▁the" and the like, the markers as <pad>, <unk>, <s>, </s>.
  const std::string& piece(int32_t id) const { return texts_[static_cast<size_t>(id)]; }
  int32_t id(std::string_view piece) const;  // kUnknownPiece if there is no such piece.
  // Neither a marker nor a byte nor a user-defined symbol.
  bool is_normal(int32_t id) const { return is_normal_[static_cast<size_t>(id)]; }

  // Whether the encoding of a text is that of its words, split at spaces, one after another. True
  // for every model that we train; not for unigram models, whose sums are rounded differently in
  // another context, nor for models whose pieces may hold inner spaces.
  bool encodes_word_by_word() const { return word_by_word_; }

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
  std::vector<std::string> texts_;
  std::vector<bool> is_normal_;
  std::string sha256_;
  bool word_by_word_ = false;
};

}  // namespace eatt
