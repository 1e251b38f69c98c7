#pragma once

#include <string>
#include <string_view>

namespace eatt {

// Text from untrusted files, for messages.

// Whether the text has a character that is_control() in base/text/unicode.h.
bool has_control_characters(std::string_view text);

// Nothing, or nothing but spaces of any width.
bool is_blank(std::string_view text);

// The text in a form that can neither break the line nor control the terminal: control characters
// and bytes that are not UTF-8 become \xNN.
std::string printable(std::string_view text);

// 'text' for a message: printable, and cut if it is long.
std::string in_quotes(std::string_view text);

}  // namespace eatt
