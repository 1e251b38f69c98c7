#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/pieces/normalization_rules.h"
#include "text/pieces/piece_merger.h"
#include "text/pieces/pieces.h"

namespace eatt {

// What encoders share: normalisation, characters and merges of a vocabulary, which outlives it.
class EncodingTables {
 public:
  explicit EncodingTables(const Pieces& pieces);

  const Pieces& pieces() const { return pieces_; }
  const PieceMerger& merger() const { return merger_; }
  const NormalizationRules& rules() const { return rules_; }
  // The id of a character that is a piece of its own; -1 for others.
  int32_t character(char32_t character) const {
    if (character < low_.size()) return low_[character];
    const auto found = high_.find(character);
    return found == high_.end() ? -1 : found->second;
  }

 private:
  const Pieces& pieces_;
  PieceMerger merger_;
  NormalizationRules rules_;
  std::vector<int32_t> low_;                    // By character, up to U+FFFF.
  std::unordered_map<char32_t, int32_t> high_;  // Above.
};

// Encodes exactly as Pieces::encode does, only faster. Text repeats its words, so the pieces of a
// word are kept and looked up when it comes again; a new word is normalised and merged here,
// without the bookkeeping that the library does for other uses. What is out of the ordinary
// (unknown characters, inner spaces after normalisation) goes to the library. One encoder per
// thread.
class PieceEncoder {
 public:
  explicit PieceEncoder(const EncodingTables& tables);

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

  bool append_word(std::string_view word, std::vector<int32_t>& ids);
  bool append_new_word(std::string_view word, Slot* slot, std::vector<int32_t>& ids);
  bool merge_word(std::string_view word);

  const EncodingTables& tables_;
  int32_t space_mark_;
  std::vector<Bucket> buckets_;  // Empty if words cannot be encoded one by one.
  PieceMerger::Scratch scratch_;
  std::string normalized_;
  std::vector<int32_t> word_ids_;
};

}  // namespace eatt
