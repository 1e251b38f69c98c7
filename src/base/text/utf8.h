#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace eatt {

// UTF-8, checked, decoded and written. Well-formed means: no overlong forms, no surrogates, nothing
// above U+10FFFF. NUL is well-formed.

// Position of the first byte that is not part of a well-formed character, or npos. Fast on ASCII.
size_t first_invalid_utf8(std::string_view text);
inline bool is_valid_utf8(std::string_view text) {
  return first_invalid_utf8(text) == std::string_view::npos;
}

// Decoding of any text. A byte that begins no well-formed character counts as a character of its
// own, U+DC00 + byte (a surrogate, which no well-formed text contains): invalid text is never read
// past its end, and different bytes stay different.
struct Utf8Character {
  char32_t code;
  uint32_t size;  // In bytes.

  bool is_valid() const { return code < 0xd800 || code > 0xdfff; }
};

Utf8Character decode_multibyte_utf8(std::string_view text, size_t at);

// The character that begins at byte `at`; at < text.size().
inline Utf8Character decode_utf8(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte < 0x80 ? Utf8Character{byte, 1} : decode_multibyte_utf8(text, at);
}

// The character that ends just before byte `at`; at > 0.
Utf8Character decode_utf8_before(std::string_view text, size_t at);

// Decoding of text that is known to be well-formed.

// The bytes of the character that starts with `lead`: 1 to 4.
constexpr size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The code point at the front of `text`, which is not empty.
char32_t utf8_front(std::string_view text);

// Writing.
void append_utf8(char32_t character, std::string& text);

// The text with U+FFFD in place of every byte that belongs to no well-formed character.
std::string replace_invalid_utf8(std::string_view text);

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

// A file's name as it is typed in a shell: in single quotes where it needs them.
std::string shell_quoted(const std::string& name);

// How to convert a file to UTF-8, for messages about invalid bytes; works as typed:
//   "convert it with `iconv -f latin1 -t utf-8 test.de > test.utf8.de` (if it is Latin-1)"
// `name` is the file's name or "standard input"; `text` its beginning, or the line that has such
// bytes: UTF-16 is told by its byte order mark, and what has NUL bytes is no text at all.
std::string conversion_advice(const std::string& name, std::string_view text);

// Whether a file that begins like this is UTF-16: a byte order mark, and NUL bytes soon after.
bool is_utf16(std::string_view text);

}  // namespace eatt
