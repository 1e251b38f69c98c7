#pragma once

#include <string_view>

namespace eatt {

enum class TextForm {
  tokenized,  // Punctuation stands alone, as Moses' tokenizer leaves it: "he said , \" No . \""
  raw,        // Punctuation sticks to words, as people write: "he said, \"No.\""
};

// The words of a line and the white space before them; nothing else is between or around them.
class WordScanner {
 public:
  explicit WordScanner(std::string_view line) : rest_(line) {}

  // Moves to the next word. At the end false; gap() is then the white space that ends the line.
  bool next();
  std::string_view gap() const { return gap_; }
  std::string_view word() const { return word_; }

 private:
  std::string_view rest_;
  std::string_view gap_;
  std::string_view word_;
};

// A word with the punctuation that sticks to it. In tokenized text all of it is core.
struct WordParts {
  std::string_view opening;  // "(", quotes; all of it if the word is nothing but punctuation
  std::string_view core;
  std::string_view closing;  // ".", ",", ")", quotes
};
WordParts split_word(std::string_view word, TextForm form);

// Moses' two sets of tokens: . : ? ! end a sentence, and quotes and brackets at its start leave the
// next word the first.
bool ends_sentence(std::string_view token);
bool opens_sentence(std::string_view token);

// Which words begin a sentence, told one after the other from the start of a line.
class SentenceStarts {
 public:
  explicit SentenceStarts(TextForm form) : form_(form) {}

  // Whether the word to come is the first of a sentence.
  bool at_start() const { return at_start_; }
  void pass(const WordParts& word);

 private:
  TextForm form_;
  bool at_start_ = true;
};

}  // namespace eatt
