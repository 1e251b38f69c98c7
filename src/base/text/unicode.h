#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace eatt {

// Classes of characters, by the Unicode character database and independent of the locale.

bool is_wide_space(char32_t code);  // Above ASCII.

// Unicode's property White_Space: tab to carriage return, the space, no-break and wide spaces, line
// and paragraph separators.
inline bool is_white_space(char32_t code) {
  if (code >= 0x80) return is_wide_space(code);
  return code == ' ' || code - 0x09 <= 0x0d - 0x09;
}

// What Python's str.isspace, str.split and str.rstrip treat as white space: the above and the four
// information separators. Scores count words as Python does.
inline bool is_python_space(char32_t code) {
  return is_white_space(code) || code - 0x1c <= 0x1f - 0x1c;
}

// General categories L*; Lu and Lt; Ll.
bool is_letter(char32_t code);
bool is_capital(char32_t code);
bool is_small_letter(char32_t code);

// General categories N*, P* and S*.
bool is_number(char32_t code);
bool is_punctuation(char32_t code);
bool is_symbol(char32_t code);

// What could break a line, control a terminal, change the direction of writing or be invisible:
// control characters (Cc), format characters (Cf), line and paragraph separators (Zl, Zp).
bool is_control(char32_t code);

// A space of any width (Zs).
bool is_space_separator(char32_t code);

// Length in bytes of the white space character (White_Space) that `text` begins with; 0 if there is
// none.
size_t leading_space_bytes(std::string_view text);

// Without Python's white space at the end, or at both ends.
std::string_view strip_right(std::string_view text);
std::string_view strip(std::string_view text);

// Upper and lower case of UTF-8 text, independent of the locale. Bytes that are not UTF-8 are
// passed through. İ (U+0130) becomes two characters, i and a dot above.

// Appends `word` in lower case as Perl's lc() does: character by character, without regard to
// its neighbours (a final sigma stays σ).
void append_lower_case(std::string_view word, std::string& out);
std::string lower_case(std::string_view word);
std::string lower_ascii(std::string_view text);  // A to Z alone, as in headers of HTTP.

// Appends `text` in lower case as Python's str.lower does: a capital sigma at the end of a word
// becomes ς. Published lower-cased scores were computed with it.
void append_python_lower_case(std::string_view text, std::string& out);

// Appends `word` with its first character in upper case, always one character for one: ß becomes ẞ,
// and those without a single capital (ŉ, the ligature ﬁ) stay. Perl's uc(), and so Moses, would
// make them SS, ʼN and FI.
void append_capitalized(std::string_view word, std::string& out);

// False for "Word"; true for "word", "42" and "—", whose first character does not change in lower
// case.
bool starts_in_lower_case(std::string_view word);

// The writing system of a character, roughly: enough to tell whether two letters belong to
// different scripts. Han, Hiragana and Katakana count as one, since Japanese mixes them within
// words.
enum class Script : uint32_t {
  any,     // Combining marks: they belong to the character before.
  common,  // Digits, punctuation, symbols.
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  hangul,
  east_asian,
  first_block = 0x100,  // Others: this plus the number of a block of 128 code points.
};

Script script_of(char32_t character);

}  // namespace eatt
