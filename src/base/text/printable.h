#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eatt {

// Where the first byte that is not UTF-8 stands, or npos. Overlong forms, surrogates and code
// points above U+10FFFF are not UTF-8.
size_t first_invalid_utf8(std::string_view text);

// In UTF-8 text: whatever could break a line, steer a terminal, turn the direction of writing or
// hide itself (zero-width characters).
bool has_control_characters(std::string_view text);

// In UTF-8 text: nothing, or nothing but spaces of any kind.
bool is_blank(std::string_view text);

// Text from a stranger's file that can neither break the line nor steer the terminal: control
// characters, as above, and bytes that are not UTF-8 become \xNN.
std::string printable(std::string_view text);

// 'text' for a message: printable, and a long text is cut.
std::string in_quotes(std::string_view text);

}  // namespace eatt
