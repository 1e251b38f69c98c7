#pragma once

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

}  // namespace eatt
