#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace eatt {

// What a point after an abbreviation says about the end of a sentence.
enum class Abbreviation {
  inside,         // Never ends one: "Mr.", "e.g.", "bzw."
  before_number,  // Does not before a number ("No. 5"); otherwise it is a word like any other.
  anywhere,       // Ends one only if the next word often starts sentences: "etc.", "Inc.", "p.m."
};

// What a sentence splitter needs to know about a language.
class LanguageRules {
 public:
  // A code such as "en" or "pt-BR". For languages without lists of their own, for "und" and for
  // nothing, the lists of all languages are used, without abbreviations that are words elsewhere.
  explicit LanguageRules(std::string_view language);

  // Of a word without its last point: "Mr", "e.g".
  std::optional<Abbreviation> abbreviation(std::string_view word) const;
  // Whether sentences often start with it ("The", "Dann"), in any letter case.
  bool starts_sentences(std::string_view word) const;
  // Whether a number with a point may be an ordinal, as in "1. Mai".
  bool has_ordinals() const { return has_ordinals_; }
  // Whether ';' is a question mark.
  bool is_greek() const { return is_greek_; }

 private:
  void add(std::string_view words, Abbreviation kind);

  std::unordered_map<std::string, Abbreviation> abbreviations_;
  std::unordered_set<std::string> starters_;
  bool knows_language_ = false;
  bool has_ordinals_ = false;
  bool is_greek_ = false;
};

// The language of a code: "pt" of "pt-BR", "zh" of "zh_Hant"; empty for "und".
std::string primary_language(std::string_view code);

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

using CountPieces = std::function<size_t(std::string_view)>;

// A text in parts of at most `most` pieces each, in order, without the white space between them;
// nothing else is left out. A text that fits is a single part. A longer one is split
//   1. into sentences, as `splitter` finds them;
//   2. a sentence that does not fit: after any . ! ? ; … with quotes and brackets that close behind
//      them, where white space follows, but not after a single letter and a point; after 。！？；
//      and their like whatever follows;
//   3. what still does not fit: after , : and dashes where white space follows, after ，、：
//      whatever follows; neighbouring clauses stay together as far as they fit;
//   4. a clause that does not fit: at white space, into parts of similar size;
//   5. a word that does not fit: between characters, not before a combining mark.
// `text` is valid UTF-8. The work grows with its length only. Throws an Error if a single character
// takes more than `most` pieces.
std::vector<std::string_view> split_long_text(std::string_view text, size_t most,
                                              const CountPieces& count,
                                              const SentenceSplitter& splitter);

}  // namespace eatt
