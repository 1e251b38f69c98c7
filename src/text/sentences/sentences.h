#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "text/sentences/language_rules.h"

namespace eatt {

// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const TextRange&) const = default;
};

// Finds the sentences of a line of text by rules, plain or tokenized (with spaces around its
// punctuation marks):
//   - after . ! ? and an ellipsis where white space follows, with the quotes and brackets that
//     close behind them; not before a lower-case letter, unless the point is a token
//     of its own;
//   - not after a point that belongs to an abbreviation, to initials ("J. R. R. Tolkien"), to an
//     ordinal ("1. Mai") or to the number of a list item ("1. Foo");
//   - after 。！？ । ؟ ۔ ։ ። ។ and their like also where no white space follows.
// Thai and Lao, which mark no sentences, stay whole. Semicolons end only Greek questions.
// The work grows with the length of the text only.
class SentenceSplitter {
 public:
  // The language of the text; LanguageRules tells what is known about it.
  explicit SentenceSplitter(std::string_view language = {}) : rules_(language) {}

  // In order, without white space at their ends. Nothing but white space lies between them, before
  // the first and behind the last; text of white space only has none. Bytes that are not UTF-8
  // count as letters.
  std::vector<TextRange> split(std::string_view text) const;

 private:
  LanguageRules rules_;
};

// Whether a sentence that follows another in a text is written without a space between: in Chinese
// and Japanese, unless `left` looks tokenized.
bool joins_without_space(std::string_view left, std::string_view right);

}  // namespace eatt
