#include "text/sentences/sentences.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/sentences/punctuation.h"

namespace eatt {
namespace {

constexpr size_t kLongestWord = 24;   // Characters; no abbreviation is longer.
constexpr size_t kMostOpenings = 8;   // Quotes, brackets and dashes before a sentence's first word.
constexpr size_t kOrdinalDigits = 3;  // "100. Geburtstag"; longer numbers are years.
constexpr size_t kLongestSpeaker = 32;  // Characters that tell who said something.
constexpr std::array<std::string_view, 14> kSpeechVerbs = {"说",   "說",   "道",   "问",   "問",
                                                           "喊",   "表示", "告诉", "告訴", "指出",
                                                           "补充", "補充", "解释", "言"};

// What follows a mark.
struct Continuation {
  bool after_space = false;
  bool after_no_break_space = false;
  char32_t first = 0;   // The first character, whatever it is.
  size_t word = 0;      // Position of the first character that opens nothing.
  char32_t letter = 0;  // That character; 0 if there is none.
};

// The word that a point follows, without quotes and brackets before it.
struct WordBefore {
  std::string_view text;
  bool starts_item = false;   // Of a sentence, or of what follows a colon.
  bool after_number = false;  // As in "3 m."
};

bool is_opening(char32_t code) {
  return is_opening_bracket(code) || is_quote(code) || is_dash(code);
}

bool continues_sentence(char32_t code) {
  constexpr std::u32string_view kMarks = U",;:)\u060c\u061b\u3001\uff0c\uff1a\uff1b\uff09";
  return kMarks.find(code) != kMarks.npos;
}

bool all_of(std::string_view word, std::string_view characters) {
  return !word.empty() && word.find_first_not_of(characters) == word.npos;
}

// "U.S", "p.m", "Ph.D", "J.-P": letters in groups of at most three.
bool is_dotted(std::string_view word) {
  size_t letters = 0;
  bool has_point = false;
  for (size_t at = 0; at < word.size();) {
    const auto [code, size] = decode_utf8(word, at);
    at += size;
    if (code == U'.' || (code == U'-' && has_point)) {
      if (letters == 0 && code == U'.') return false;
      has_point = true;
      letters = 0;
    } else if (!is_letter(code) || ++letters > 3) {
      return false;
    }
  }
  return has_point && letters > 0;
}

class Scanner {
 public:
  Scanner(std::string_view text, const LanguageRules& rules) : text_(text), rules_(rules) {}

  std::vector<TextRange> split() {
    std::vector<TextRange> sentences;
    size_t at = start_ = skip_white_space(text_, 0);
    while (at < text_.size()) {
      if (!may_end_sentence(decode_utf8(text_, at).code)) {
        at += quotes_.pass(text_, at);
        continue;
      }
      const SentenceMark mark = read_mark(at);
      at = mark.end;
      if (!is_boundary(mark)) continue;
      sentences.push_back({start_, mark.end});
      at = start_ = skip_white_space(text_, mark.end);
    }
    const size_t end = start_ + strip_right(text_.substr(start_)).size();
    if (end > start_) sentences.push_back({start_, end});
    return sentences;
  }

 private:
  bool may_end_sentence(char32_t code) const {
    return is_sentence_end(code) || (rules_.is_greek() && (code == U';' || code == U'\u037e'));
  }

  SentenceMark read_mark(size_t at) {
    if (is_sentence_end(decode_utf8(text_, at).code)) return read_sentence_mark(text_, at, quotes_);
    SentenceMark mark = read_sentence_mark(text_, at + decode_utf8(text_, at).size, quotes_);
    mark.begin = at;
    mark.is_question = true;
    return mark;
  }

  bool is_boundary(const SentenceMark& mark) {
    const Continuation next = look_after(mark);
    if (next.letter == 0 || continues_sentence(next.letter)) return false;
    if (mark.begin > start_ && is_opening_bracket(decode_utf8_before(text_, mark.begin).code)) {
      return false;  // "(?)", "[...]"
    }
    if (mark.is_full) return full_mark_divides(mark, next);
    if (!next.after_space) return divides_east_asian(mark, next);
    if (is_small_letter(next.letter)) return divides_before_small_letter(mark);
    if (mark.is_ellipsis()) return ellipsis_divides(mark, next);
    return mark.is_question || point_divides(mark, next);
  }

  Continuation look_after(const SentenceMark& mark) const {
    Continuation next;
    size_t at = skip_white_space(text_, mark.end);
    if (at == text_.size()) return next;
    next.after_space = at > mark.end;
    if (next.after_space) {
      const char32_t space = decode_utf8(text_, mark.end).code;
      next.after_no_break_space = space == 0xa0 || space == 0x202f;
    }
    next.first = decode_utf8(text_, at).code;
    for (size_t i = 0; i < kMostOpenings && at < text_.size(); ++i) {
      const auto [code, size] = decode_utf8(text_, at);
      next.word = at;
      next.letter = code;
      if (!is_opening(code)) return next;
      at = skip_white_space(text_, at + size);
    }
    if (at == text_.size()) next.letter = 0;
    return next;
  }

  // “走吧！”他说。: a quote at the start is followed by who said it. 「行こう。」と言った。
  bool full_mark_divides(const SentenceMark& mark, const Continuation& next) const {
    if (next.after_space) return true;
    if (mark.last == U'\uff0e') return !is_number(next.first);
    if (is_closing_bracket(mark.last)) return false;
    if (!mark.closes_quote) return true;
    if (next.first == U'と' || next.first == U'っ' || next.first == U'的') return false;
    return !is_opening(decode_utf8(text_, start_).code) || !tells_who_spoke(next.word);
  }

  bool tells_who_spoke(size_t begin) const {
    size_t end = begin;
    for (size_t i = 0; i < kLongestSpeaker && end < text_.size(); ++i) {
      const auto [code, size] = decode_utf8(text_, end);
      if (is_punctuation(code)) break;
      end += size;
    }
    const std::string_view clause = text_.substr(begin, end - begin);
    const auto has = [&](std::string_view verb) { return clause.find(verb) != clause.npos; };
    return std::ranges::any_of(kSpeechVerbs, has);
  }

  // ! ? . of ASCII in Chinese and Japanese, which are written without spaces.
  bool divides_east_asian(const SentenceMark& mark, const Continuation& next) const {
    if (mark.is_ellipsis() || mark.begin == start_) return false;
    return is_east_asian(decode_utf8_before(text_, mark.begin).code) && is_east_asian(next.first);
  }

  // In tokenized text a point that ends an abbreviation is part of its token; one that stands alone
  // ends a sentence, also where words are in lower case or truecased. French writes ! and ? alone
  // in any text.
  bool divides_before_small_letter(const SentenceMark& mark) {
    if (!stands_alone(mark) || mark.closes_quote || mark.is_ellipsis()) return false;
    return !mark.is_question || is_tokenized();
  }

  // "das … Wort" has left something out.
  bool ellipsis_divides(const SentenceMark& mark, const Continuation& next) const {
    if (!is_capital(next.letter)) return false;
    return !stands_alone(mark) || next_word_starts_sentences(next);
  }

  bool stands_alone(const SentenceMark& mark) const {
    return mark.begin > start_ && is_white_space(decode_utf8_before(text_, mark.begin).code);
  }

  bool point_divides(const SentenceMark& mark, const Continuation& next) const {
    if (next.after_no_break_space) return false;
    if (mark.closes_quote || mark.begin == start_) return true;
    if (stands_alone(mark)) return lone_point_divides(mark, next);
    const char32_t last = decode_utf8_before(text_, mark.begin).code;
    if (last >= 0x0e00 && last <= 0x0eff) return false;  // Thai and Lao: abbreviations only.
    const auto word = word_before(mark.begin);
    return !word || word_divides(*word, next);
  }

  // "Nr . 5", where a tokenizer did not know the abbreviation.
  bool lone_point_divides(const SentenceMark& mark, const Continuation& next) const {
    const auto word =
        word_before(start_ + strip_right(text_.substr(start_, mark.begin - start_)).size());
    if (!word) return true;
    if (word->starts_item && all_of(word->text, "0123456789")) return false;  // "1 . Foo"
    const auto kind = rules_.abbreviation(word->text);
    return kind != Abbreviation::inside &&
           (kind != Abbreviation::before_number || !is_number(next.letter));
  }

  bool word_divides(const WordBefore& word, const Continuation& next) const {
    const auto kind = rules_.abbreviation(word.text);
    if (kind == Abbreviation::inside) return false;
    if (kind == Abbreviation::before_number && is_number(next.letter)) return false;
    if (kind == Abbreviation::anywhere) return next_word_starts_sentences(next);
    if (all_of(word.text, "0123456789.-")) return number_divides(word, next);
    if (word.text.size() == decode_utf8(word.text, 0).size) return letter_divides(word, next);
    const bool roman = word.text.size() <= 5 && all_of(word.text, "IVX");
    if (roman && word.starts_item) return false;
    if ((roman && rules_.has_ordinals()) || is_dotted(word.text)) {
      return next_word_starts_sentences(next);
    }
    return true;
  }

  // "1. Foo", "am 1. Mai", "14.-16. Mai", but "He was 25. Then"
  bool number_divides(const WordBefore& word, const Continuation& next) const {
    const size_t digits = word.text.size() - (word.text.find_last_of(".-") + 1);
    const bool short_number = digits <= kOrdinalDigits;
    if (word.starts_item && short_number) return false;
    if (!rules_.has_ordinals() || !short_number) return true;
    return !is_number(next.letter) && next_word_starts_sentences(next);
  }

  // "J. Smith", "z. B.", but "3 m. Then"
  bool letter_divides(const WordBefore& word, const Continuation& next) const {
    const char32_t letter = decode_utf8(word.text, 0).code;
    if (!is_letter(letter) || is_east_asian(letter)) return true;
    if (word.starts_item) return false;
    if (is_small_letter(letter) && word.after_number) return true;
    return next_word_starts_sentences(next);
  }

  // Nothing if the word is too long for an abbreviation.
  std::optional<WordBefore> word_before(size_t end) const {
    size_t begin = end;
    for (size_t i = 0; begin > start_; ++i) {
      const auto [code, size] = decode_utf8_before(text_, begin);
      if (is_white_space(code) || code == U'/') break;
      if (i == kLongestWord) return std::nullopt;
      begin -= size;
    }
    const size_t token = begin;
    while (begin < end) {
      const auto [code, size] = decode_utf8(text_, begin);
      if (!is_opening(code)) break;
      begin += size;
    }
    if (begin == end) return std::nullopt;
    WordBefore word{text_.substr(begin, end - begin), token == start_};
    const size_t before = start_ + strip_right(text_.substr(start_, token - start_)).size();
    if (before > start_ && before < token) {
      const char32_t last = decode_utf8_before(text_, before).code;
      word.starts_item = last == U':';
      word.after_number = is_number(last);
    }
    return word;
  }

  bool next_word_starts_sentences(const Continuation& next) const {
    size_t end = next.word;
    for (size_t i = 0; i < kLongestWord && end < text_.size(); ++i) {
      const auto [code, size] = decode_utf8(text_, end);
      if (!is_letter(code)) break;
      end += size;
    }
    if (end < text_.size() && text_[end] == '.') return false;  // Another initial.
    return rules_.starts_sentences(text_.substr(next.word, end - next.word));
  }

  // Whether points or commas are tokens of their own, which no language has in plain text.
  bool is_tokenized() {
    if (!is_tokenized_) {
      const auto has = [&](std::string_view token) { return text_.find(token) != text_.npos; };
      is_tokenized_ = text_.ends_with(" .") || has(" . ") || has(" , ") || !has_capitals();
    }
    return *is_tokenized_;
  }

  bool has_capitals() const {
    for (size_t at = 0; at < text_.size();) {
      const auto [code, size] = decode_utf8(text_, at);
      if (is_capital(code)) return true;
      at += size;
    }
    return false;
  }

  std::string_view text_;
  const LanguageRules& rules_;
  size_t start_ = 0;  // Of the sentence.
  OpenQuotes quotes_;
  std::optional<bool> is_tokenized_;
};

}  // namespace

std::vector<TextRange> SentenceSplitter::split(std::string_view text) const {
  return Scanner(text, rules_).split();
}

bool joins_without_space(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty()) return false;
  const auto [last, size] = decode_utf8_before(left, left.size());
  const char32_t first = decode_utf8(right, 0).code;
  const std::string_view before = left.substr(0, left.size() - size);
  const bool is_mark = is_sentence_end(last) || is_closing_bracket(last) || is_quote(last);
  if (is_mark && !before.empty()) {
    const char32_t word = decode_utf8_before(before, before.size()).code;
    if (is_white_space(word)) return false;  // "你 好 。"
    if (is_east_asian(word) && is_east_asian(first)) return true;
  }
  return is_east_asian(last) || is_east_asian_punctuation(last);
}

}  // namespace eatt
