#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/files/text_file.h"
#include "text/pieces/pieces.h"

namespace eatt {

// Encodes exactly as Pieces::encode does, only faster: text repeats its words, so the pieces of a
// word are kept and looked up when it occurs again. For corpora; one encoder per thread.
class PieceEncoder {
 public:
  explicit PieceEncoder(const Pieces& pieces);  // Must outlive it.

  // Appends the ids of `text`, without markers.
  void append(std::string_view text, std::vector<int32_t>& ids);

 private:
  // One cache line. Words that do not fit are encoded anew each time.
  struct alignas(64) Slot {
    uint8_t word_size = 0;  // 0: not used.
    uint8_t id_count = 0;
    std::array<char, 30> word;
    std::array<int32_t, 8> ids;
  };
  // A word has two slots. A new word goes to the second, and moves to the first when it is seen
  // again, so rare words replace only rare words.
  struct Bucket {
    Slot first;
    Slot second;
  };

  // A word of the text, and its bucket; null if the word is too long for one.
  struct Word {
    std::string_view text;
    Bucket* bucket;
  };

  void split(std::string_view text);
  void append_word(const Word& word, std::vector<int32_t>& ids);
  void append_new_word(std::string_view word, Slot* slot, std::vector<int32_t>& ids);
  void append_encoded(std::string_view text, std::vector<int32_t>& ids);

  const Pieces& pieces_;
  std::vector<Bucket> buckets_;  // Empty if words cannot be encoded one by one.
  std::vector<Word> words_;
  size_t encoded_bytes_ = 0;  // Without those of words that were looked up.
  Pieces::Scratch scratch_;
};

// Encodes both sides of sentence pairs: what a thread needs for a parallel corpus. Which thread
// uses which encoder makes no difference to the ids.
class PairEncoder {
 public:
  PairEncoder(const Pieces& source, const Pieces& target)
      : source_encoder_(source), target_encoder_(target) {}

  void encode(std::string_view source, std::string_view target) {
    source_ids.clear();
    target_ids.clear();
    source_encoder_.append(source, source_ids);
    target_encoder_.append(target, target_ids);
  }

  std::vector<int32_t> source_ids;  // Of the last pair.
  std::vector<int32_t> target_ids;

 private:
  PieceEncoder source_encoder_;
  PieceEncoder target_encoder_;
};

// How pieces are written in text: "▁a ▁dog" or "17 341", separated by spaces.
enum class PieceFormat { piece, id };

struct EncodeLinesOptions {
  PieceFormat format = PieceFormat::piece;
  double dropout = 0;  // Above 0: sampled encodings, see Pieces::sample().
  uint64_t seed = 1;   // Of the sampling; a line's sample depends on it and the line's number.
};

// Writes a line of pieces for each line of text, to `write` in large blocks, in order. Runs on all
// threads; the result does not depend on their number. Throws an Error with the line's number for
// text that is not UTF-8, contains NUL bytes or has more than a megabyte in a line.
void encode_lines(const Pieces& pieces, const TextFile& text, const EncodeLinesOptions& options,
                  const std::function<void(std::string_view)>& write);

// Pieces back to text. Throws an Error with the line's number for anything that is not an id of the
// vocabulary; pieces that are not in it are kept as they are.
void decode_lines(const Pieces& pieces, const TextFile& text, PieceFormat format,
                  const std::function<void(std::string_view)>& write);

}  // namespace eatt
