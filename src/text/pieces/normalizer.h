#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/pieces/piece_index.h"
#include "text/pieces/piece_model.h"

namespace eatt {

// SentencePiece's compiled normalisation rules: which strings are replaced by which. A double-array
// trie as built by darts-clone, and the replacements it points to:
//   u32 bytes of the trie | u32 units … | NUL-terminated strings …
// A unit at position p with offset o sends byte c to position p ^ o ^ c, so all its targets lie in
// one row of 256; one with the leaf bit has the start of its replacement at p ^ o.
class NormalizationRules {
 public:
  struct Match {
    size_t size = 0;  // Bytes of the text; 0 if no rule applies.
    std::string_view replacement;
  };

  NormalizationRules() = default;  // Changes nothing.
  // Holds a view: the bytes must outlive it.
  explicit NormalizationRules(std::string_view rules);

  // Whether every reference stays inside the table. Only sound rules may be applied.
  bool are_sound() const;
  bool empty() const { return units_.empty(); }

  // The rule for the longest string that `text` begins with.
  Match longest_match(std::string_view text) const;
  // Whether a rule may apply to a text that begins with `text`.
  bool may_apply(std::string_view text) const;

 private:
  uint32_t unit(uint32_t position) const;
  uint32_t children(uint32_t position) const;

  bool is_empty_ = true;
  std::string_view units_;
  std::string_view replacements_;
};

// Turns text into what pieces are cut from, byte for byte as SentencePiece does: rules applied,
// extra spaces removed, spaces written as space marks, one put in front.
class Normalizer {
 public:
  Normalizer() = default;
  // `verbatim` are strings that no rule touches (user-defined symbols). The model's bytes and the
  // trie must outlive it.
  Normalizer(const PieceModel::Normalizer& settings, bool space_as_suffix,
             const PieceTrie& verbatim);

  // Replaces `normalized` by the normalised text. Each byte that is not valid UTF-8 becomes U+FFFD.
  void normalize(std::string_view text, std::string& normalized) const;
  // The rules alone, for learning: spaces are neither removed nor marked. Appends.
  void append_rules_applied(std::string_view text, std::string& normalized) const;

 private:
  NormalizationRules::Match next(std::string_view text) const;
  void find_plain_characters();
  size_t plain_front(std::string_view text) const;

  PieceModel::Normalizer settings_;
  bool space_as_suffix_ = false;
  const PieceTrie* verbatim_ = nullptr;
  NormalizationRules rules_;
  // Characters up to U+FFFF that no rule changes, whatever follows; of ASCII, those other than
  // space that no rule changes unless a character outside ASCII follows.
  std::bitset<0x10000> is_plain_;
};

}  // namespace eatt
