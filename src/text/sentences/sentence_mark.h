#pragma once

#include <cstddef>
#include <string_view>

namespace eatt {

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
