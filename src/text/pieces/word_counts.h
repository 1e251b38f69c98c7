#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/pieces/bpe_trainer.h"
#include "text/pieces/piece_index.h"

namespace eatt {

// How often each word occurs: all that BPE needs to know about a text, and far smaller. Words are
// separated by spaces; in a script without spaces a whole sentence counts as one.
//
// Memory is bounded: when the words exceed it, the rarest half is dropped. The hash breaks ties, so
// a random part of sentences without spaces is kept.
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

  // The most frequent words, of `max_characters` characters in total (the space in front of each
  // counts too). With `all_characters`, also a word for each character that would otherwise
  // be missing. Always in the same order. Valid until the next add().
  std::vector<Word> most_frequent(uint64_t max_characters, bool all_characters) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view word) const { return hash_text(word); }
  };

  std::vector<Word> sorted() const;
  void drop_rarest();

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t lines_ = 0;
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> counts_;
};

// Words as the trainer takes them: normalised, as characters, a space mark in front of each.
class TrainingWords {
 public:
  // `rules` are compiled normalisation rules, see normalizer.h.
  TrainingWords(const std::vector<WordCounts::Word>& words, std::string_view rules);

  // The most frequent characters, as many as make up the share `coverage` of the text.
  std::vector<char32_t> alphabet(double coverage) const;
  void give_to(BpeTrainer& trainer, const std::vector<char32_t>& alphabet) const;

 private:
  void add(std::string_view text, uint64_t count);

  std::u32string characters_;                         // Of all words, one after another.
  std::vector<std::pair<uint32_t, uint64_t>> words_;  // How many of them each has, and its count.
  std::unordered_map<char32_t, uint64_t> counts_;     // Of the characters in the text.
};

}  // namespace eatt
