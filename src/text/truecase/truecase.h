#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

// Tells which words begin a sentence; gets the words of a line one after the other.
class SentenceStarts {
 public:
  explicit SentenceStarts(TextForm form) : form_(form) {}

  // Whether the next word is the first of a sentence.
  bool at_start() const { return at_start_; }
  void pass(const WordParts& word);

 private:
  TextForm form_;
  bool at_start_ = true;
};

// Truecasing: the first word of a sentence is written as it is most often written elsewhere ("The"
// becomes "the", "Paris" stays), so that a word has one form in the vocabulary. Tokens, sentence
// starts and results are those of Moses' truecase.perl and detruecase.perl on tokenized text, with
// two differences: white space stays as it was (Moses makes it one space), and '|', '<' and '>' are
// ordinary characters (Moses reads factors and markup).
class Truecaser {
 public:
  // Reads a model written by `eatt corpus truecase train` or Moses' train-truecaser.perl. Throws an
  // Error naming file and line if one is damaged.
  explicit Truecaser(const std::filesystem::path& model_file, TextForm form = TextForm::tokenized);
  // The same from an open stream, which errors call `name`.
  Truecaser(std::istream& model, const std::string& name, TextForm form = TextForm::tokenized);

  // One line, without its end. The first words of sentences get their most frequent form; other
  // words only if this form of them was never seen.
  std::string apply(std::string_view line) const;

 private:
  // Look-up by string_view, without making a string.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void read(std::istream& model, const std::string& name);
  void read_line(std::string_view line, const std::string& where);
  void append_recased(std::string_view word, bool at_start, std::string& out) const;

  TextForm form_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> best_;  // lower case → form
  std::unordered_set<std::string, Hash, std::equal_to<>> known_;              // every form seen
};

// Writes the first letter of each sentence in upper case.
std::string undo_truecase(std::string_view line, TextForm form = TextForm::tokenized);

struct TruecaseTrainingOptions {
  TextForm form = TextForm::tokenized;
  // Moses' --possiblyUseFirstToken: a sentence's first word is evidence too if it is in lower case;
  // if it is a capitalized word alone on its line, a tenth of that.
  bool use_first_words = false;
};

// Counts how words are written where case says something, that is, not at the start of a sentence.
// Which words those are is Moses' train-truecaser.perl's for tokenized text. Memory grows with the
// number of distinct forms, not with the text.
class TruecaseTraining {
 public:
  explicit TruecaseTraining(TruecaseTrainingOptions options) : options_(options) {}

  void add(std::string_view line);

  // Writes the model as Moses does, a line per word: its most frequent form with its count and that
  // of all forms, then the other forms with theirs:
  //   the (812/815) The (2) THE (1)
  // The order is always the same (Moses': arbitrary): words by code point, forms by count; of forms
  // with equal counts the one in lower case comes first.
  void write(const std::filesystem::path& model_file) const;

  size_t distinct_forms() const { return tenths_.size(); }
  // Words left out because they are not UTF-8.
  uint64_t invalid_words() const { return invalid_words_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void count(std::string_view form, uint64_t tenths);

  TruecaseTrainingOptions options_;
  // Form → times seen, in tenths, so that sums of whole and partial counts are exact.
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> tenths_;
  uint64_t invalid_words_ = 0;
};

}  // namespace eatt
