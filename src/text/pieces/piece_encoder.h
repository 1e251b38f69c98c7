#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/pieces/pieces.h"

namespace eatt {

// Encodes exactly as Pieces::encode does, only faster: text repeats its words, so the pieces of a
// word are kept and looked up when it comes again. For corpora; one encoder per thread.
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
  // A word has two places. New words come to the second, and move to the first when they are seen
  // again: rare words then push out rare words.
  struct Bucket {
    Slot first;
    Slot second;
  };

  void append_word(std::string_view word, std::vector<int32_t>& ids);
  void append_new_word(std::string_view word, Slot* slot, std::vector<int32_t>& ids);

  const Pieces& pieces_;
  std::vector<Bucket> buckets_;  // Empty if words cannot be encoded one by one.
  Pieces::Scratch scratch_;
};

}  // namespace eatt
