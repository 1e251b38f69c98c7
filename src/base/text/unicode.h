#pragma once

#include <cstddef>
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

}  // namespace eatt
