#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eatt {

// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above
// U+10FFFF. NUL is well-formed. Sixteen bytes at a time as long as the text is ASCII.
bool is_valid_utf8(std::string_view text);

// The bytes of the character that starts with `lead` in well-formed UTF-8: 1 to 4.
constexpr size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The code point at the front of `text`, which is well-formed and not empty.
char32_t utf8_front(std::string_view text);

// The text with U+FFFD in place of every byte that belongs to no well-formed character.
std::string replace_invalid_utf8(std::string_view text);

void append_utf8(char32_t character, std::string& text);

}  // namespace eatt
