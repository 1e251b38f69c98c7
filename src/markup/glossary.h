#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  // Terms that are given twice have the translation of the last. The entries are copied. Terms of
  // `others` count, too; where both have terms of one length, those given here do.
  explicit Glossary(std::span<const GlossaryEntry> entries,
                    std::shared_ptr<const Glossary> others = nullptr);

  struct Match {
    TextRange source;
    const std::string* target = nullptr;  // Lives as long as the glossary.
  };
  std::vector<Match> find(std::string_view text) const;

 private:
  struct Found {
    size_t end = 0;
    const std::string* target = nullptr;  // Null: nothing was found.
  };
  Found longest_at(std::string_view text, size_t begin) const;
  Found own_longest_at(std::string_view text, size_t begin) const;
  void add(const GlossaryEntry& entry);

  struct Term {
    std::string written;  // White space as single spaces; empty: in any case.
    std::string target;
  };
  // The beginnings of terms in lower case, as a tree: node 0 is nothing, and next_ leads from a
  // node and a character to the node of both.
  static uint64_t edge(uint32_t node, char32_t code) { return uint64_t{node} << 32 | code; }
  std::unordered_map<uint64_t, uint32_t> next_;
  std::unordered_map<uint32_t, std::vector<Term>> terms_;  // By the node at their end.
  std::shared_ptr<const Glossary> others_;
};

}  // namespace eatt::markup
