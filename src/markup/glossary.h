#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files/text_file.h"
#include "text/sentences/sentences.h"

namespace eatt::markup {

// A term of the source language and its fixed translation.
struct GlossaryEntry {
  std::string source, target;
};

// A glossary as a file: a term, a tab and its translation on each line. Blank lines and lines that
// begin with # are passed over. Throws an Error that names the line for anything else, and for a
// term that has two translations.
std::vector<GlossaryEntry> read_glossary(const TextFile& file);

// Throws a UsageError if a term or a translation is blank or has a line break or tab.
void check_glossary(std::span<const GlossaryEntry> entries);

// Finds terms in text. The longest that begins at a place counts, from left to right.
//   - A term begins and ends at the border of a word, except next to Chinese or Japanese letters,
//     which know no such borders.
//   - A term in lower case is found in any case; one with a capital only as it is written.
//   - White space in a term is any white space of the text.
class Glossary {
 public:
  // Terms that are given twice have the translation of the last. The entries are copied.
  explicit Glossary(std::span<const GlossaryEntry> entries);

  struct Match {
    TextRange source;
    const std::string* target = nullptr;  // Lives as long as the glossary.
  };
  std::vector<Match> find(std::string_view text) const;

  bool is_empty() const { return lengths_.empty(); }

 private:
  const std::string* longest_at(std::string_view text, size_t begin, size_t& end) const;

  using Targets = std::unordered_map<std::string, std::string>;
  Targets exact_;     // Terms with capitals, white space as single spaces;
  Targets any_case_;  // terms without.
  // By the first character of terms, in lower case: their lengths in characters, longest first.
  std::unordered_map<std::string, std::vector<size_t>> lengths_;
};

}  // namespace eatt::markup
