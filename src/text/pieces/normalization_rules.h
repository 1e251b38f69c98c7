#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eatt {

// SentencePiece's compiled normalisation: which strings are replaced by which. A double-array trie
// as built by darts-clone, and the replacements it points to:
//   u32 bytes of the trie | u32 units … | NUL-terminated strings …
// A unit at position p with offset o sends byte c to position p ^ o ^ c, so all its targets lie in
// one row of 256; one with the leaf bit keeps at p ^ o where its replacement starts.
class NormalizationRules {
 public:
  NormalizationRules() = default;  // Changes nothing.
  // Holds on to the bytes, which must outlive it.
  explicit NormalizationRules(std::string_view rules);

  // Whether every reference stays inside the table: the library follows them without looking. Only
  // sound rules may be applied.
  bool are_sound() const;

  // Appends `text` with its rules applied, the longest first at each place, as the library does.
  // Spaces are not merged and not marked. `text` is valid UTF-8.
  void apply(std::string_view text, std::string& normalized) const;

 private:
  struct Match {
    size_t size = 0;  // Bytes of the text; 0 if no rule applies.
    std::string_view replacement;
  };

  uint32_t unit(uint32_t position) const;
  uint32_t children(uint32_t position) const;
  Match longest_match(std::string_view text) const;

  bool is_empty_ = true;
  std::string_view units_;
  std::string_view replacements_;
};

}  // namespace eatt
