#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/pieces/piece_table.h"

namespace eatt {

// How often each word occurs: all that BPE needs to know of a text, and far smaller than it. Words
// are what stands between spaces; in a script without spaces a whole sentence counts as one.
//
// Memory is bounded: when the words outgrow it, the rarest half is forgotten. Among equally rare
// ones their hash decides, so of sentences without spaces a random part stays.
class WordCounts {
 public:
  struct Word {
    std::string_view text;
    uint64_t count = 0;
  };

  explicit WordCounts(size_t max_bytes = size_t{96} << 20) : max_bytes_(max_bytes) {}

  void add(std::string_view line);

  uint64_t lines() const { return lines_; }
  bool empty() const { return counts_.empty(); }

  // The most frequent words, as many as have `max_characters` characters together (a space in front
  // of each counts too). With `all_characters`, also a word for each character that would otherwise
  // be missing. Always in the same order. Valid until the next add().
  std::vector<Word> most_frequent(uint64_t max_characters, bool all_characters) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view word) const { return hash_text(word); }
  };

  std::vector<Word> sorted() const;
  void forget_rarest();

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t lines_ = 0;
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> counts_;
};

}  // namespace eatt
