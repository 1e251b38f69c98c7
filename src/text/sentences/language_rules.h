#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

}  // namespace eatt
