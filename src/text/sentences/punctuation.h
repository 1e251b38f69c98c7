#pragma once

#include <cstddef>
#include <string_view>

namespace eatt {

// Classes of punctuation marks that say where a text can be divided.

// . ! ? …, which end a sentence where white space follows.
bool is_spaced_sentence_end(char32_t code);
// 。！？ । ؟ ։ and the like, which end one whatever follows.
bool is_full_sentence_end(char32_t code);
inline bool is_sentence_end(char32_t code) {
  return is_spaced_sentence_end(code) || is_full_sentence_end(code);
}

bool is_closing_bracket(char32_t code);
bool is_opening_bracket(char32_t code);
// Quotation marks of all kinds, those too that open in one language and close in another (“, «).
bool is_quote(char32_t code);
// Quotes that only close: ” ’ 」 』, and those that only open: „ ‚ 「 『.
bool is_closing_quote(char32_t code);
bool is_opening_quote(char32_t code);
// – — ― and the hyphen.
bool is_dash(char32_t code);
// Whether the script of this letter is written without spaces between sentences: Chinese, Japanese.
bool is_east_asian(char32_t code);
// Full-width and ideographic punctuation marks.
bool is_east_asian_punctuation(char32_t code);

// Which quotes are open at a position of a text, among those whose opening form can also close.
struct OpenQuotes {
  bool straight = false;  // "
  bool low = false;       // „, which “ closes

  // Reads the character at `at`. Returns the bytes of what it is: 6 for "&quot;", as Moses writes
  // it.
  size_t pass(std::string_view text, size_t at);
};

// Marks that may end a sentence, with all that closes behind them: ". ", `?!"`, `. . . )`.
struct SentenceMark {
  size_t begin = 0;           // The first mark that ends a sentence.
  size_t end = 0;             // Behind the last quote or bracket that closes.
  bool is_full = false;       // 。 and the like are among them.
  bool is_question = false;   // ? or ! are.
  size_t points = 0;          // Points among them; an ellipsis (…) counts as three.
  bool closes_quote = false;  // Quotes close behind them.
  char32_t last = 0;          // The last character.

  bool is_ellipsis() const { return !is_full && !is_question && points > 1; }
};

// The marks that begin at `at`, where is_sentence_end() holds; `quotes` are those open there, and
// are then those open behind the marks. In tokenized text, white space between marks is passed
// over.
SentenceMark read_sentence_mark(std::string_view text, size_t at, OpenQuotes& quotes);

// The first byte from `at` on that is no white space, or the size of the text.
size_t skip_white_space(std::string_view text, size_t at);

}  // namespace eatt
