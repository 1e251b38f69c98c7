#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eatt {

// Where the first byte that is not UTF-8 stands, or npos. Overlong forms, surrogates and code
// points above U+10FFFF are not UTF-8.
size_t first_invalid_utf8(std::string_view text);

// In UTF-8 text: whatever could break a line or steer a terminal.
bool has_control_characters(std::string_view text);

// 'text' for a message: text from a stranger's file can neither break the line nor steer the
// terminal. Control characters and bytes that are not UTF-8 become \xNN, and a long text is cut.
std::string in_quotes(std::string_view text);

}  // namespace eatt
