#include "base/text/letter_case.h"

#include <utf8proc.h>

#include <cstdint>

namespace eatt {
namespace {

constexpr int32_t kDottedCapitalI = 0x130;  // İ
constexpr std::string_view kDottedSmallI = "i\u0307";

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// The first character of `text` (not empty) and its bytes; a negative one if it is not UTF-8.
struct Character {
  int32_t code = -1;
  size_t bytes = 1;
};

Character first_character(std::string_view text) {
  if (is_ascii(text[0])) return {text[0], 1};
  int32_t code = -1;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (bytes <= 0) return {};
  return {code, static_cast<size_t>(bytes)};
}

void append_utf8(int32_t code, std::string& out) {
  utf8proc_uint8_t buffer[4];
  const auto bytes = utf8proc_encode_char(code, buffer);
  out.append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(bytes));
}

// White_Space of the Unicode character database beyond ASCII.
bool is_wide_space(int32_t code) {
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace

void append_lower_case(std::string_view word, std::string& out) {
  while (!word.empty()) {
    if (is_ascii(word[0])) {
      out += ascii_lower(word[0]);
      word.remove_prefix(1);
      continue;
    }
    const Character c = first_character(word);
    const int32_t lower = c.code < 0 ? c.code : utf8proc_tolower(c.code);
    if (c.code == kDottedCapitalI) {
      out += kDottedSmallI;
    } else if (lower == c.code) {
      out += word.substr(0, c.bytes);
    } else {
      append_utf8(lower, out);
    }
    word.remove_prefix(c.bytes);
  }
}

std::string lower_case(std::string_view word) {
  std::string lower;
  append_lower_case(word, lower);
  return lower;
}

void append_capitalized(std::string_view word, std::string& out) {
  if (word.empty()) return;
  const Character first = first_character(word);
  const int32_t upper = first.code < 0 ? first.code : utf8proc_toupper(first.code);
  if (upper == first.code) {
    out += word;
  } else {
    append_utf8(upper, out);
    out += word.substr(first.bytes);
  }
}

bool starts_in_lower_case(std::string_view word) {
  if (word.empty()) return true;
  const std::string_view first = word.substr(0, first_character(word).bytes);
  return lower_case(first) == first;
}

size_t leading_space_bytes(std::string_view text) {
  if (text.empty()) return 0;
  if (is_ascii(text[0])) return text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r') ? 1 : 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead != 0xC2 && (lead < 0xE1 || lead > 0xE3)) return 0;  // No white space begins like this.
  const Character c = first_character(text);
  return is_wide_space(c.code) ? c.bytes : 0;
}

}  // namespace eatt
