#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/pieces/bpe_trainer.h"
#include "text/pieces/word_counts.h"

namespace eatt {

// Words as pieces are learnt from them: normalised, as characters, a space mark in front of each.
class TrainingWords {
 public:
  explicit TrainingWords(const std::vector<WordCounts::Word>& words);

  // Characters from the most frequent on, as many as make up the share `coverage` of the text.
  std::vector<char32_t> alphabet(double coverage) const;
  void give_to(BpeTrainer& trainer, const std::vector<char32_t>& alphabet) const;

 private:
  void add(std::string_view text, uint64_t count);

  std::u32string characters_;                         // Of all words, one after another.
  std::vector<std::pair<uint32_t, uint64_t>> words_;  // How many of them each has, and its count.
  std::unordered_map<char32_t, uint64_t> counts_;     // Of the characters in the text.
};

}  // namespace eatt
