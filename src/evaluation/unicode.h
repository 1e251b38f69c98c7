#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eatt::evaluation {

// One character of UTF-8 text and the bytes it takes. A byte that begins no valid character becomes
// U+DC00 + byte, so broken text is never read past its end and different bytes stay different.
struct Character {
  char32_t code;
  uint32_t size;
};

Character decode_multibyte(std::string_view text, size_t at);

inline Character decode(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte < 0x80 ? Character{byte, 1} : decode_multibyte(text, at);
}

// The character that ends just before `at`; at > 0.
Character decode_before(std::string_view text, size_t at);

// Where the first byte stands that breaks UTF-8 (surrogates and overlong forms included), or npos.
size_t find_invalid_utf8(std::string_view text);

bool is_wide_space(char32_t code);  // Above ASCII.

// What Python's str.isspace, str.split and str.rstrip take for white space.
inline bool is_space(char32_t code) {
  if (code >= 0x80) return is_wide_space(code);
  return code == ' ' || code - 0x09 <= 0x0d - 0x09 || code - 0x1c <= 0x1f - 0x1c;
}

// General categories N*, P* and S*.
bool is_number(char32_t code);
bool is_punctuation(char32_t code);
bool is_symbol(char32_t code);

// Without white space at the end, or at both ends.
std::string_view strip_right(std::string_view text);
std::string_view strip(std::string_view text);

}  // namespace eatt::evaluation
