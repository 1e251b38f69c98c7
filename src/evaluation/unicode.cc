#include "evaluation/unicode.h"

#include <utf8proc.h>

#include <bit>
#include <cstring>

namespace eatt::evaluation {
namespace {

bool continues(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

char32_t low_bits(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]) & 0x3f;
}

// Size 0 if no valid character of more than one byte begins here.
Character decode_strictly(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead >= 0xc2 && lead < 0xe0 && continues(text, at + 1)) {
    return {(lead & 0x1fu) << 6 | low_bits(text, at + 1), 2};
  }
  if (lead >= 0xe0 && lead < 0xf0 && continues(text, at + 1) && continues(text, at + 2)) {
    const char32_t code =
        (lead & 0xfu) << 12 | low_bits(text, at + 1) << 6 | low_bits(text, at + 2);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= 0x800 && !surrogate ? Character{code, 3} : Character{0, 0};
  }
  if (lead >= 0xf0 && lead < 0xf5 && continues(text, at + 1) && continues(text, at + 2) &&
      continues(text, at + 3)) {
    const char32_t code = (lead & 0x7u) << 18 | low_bits(text, at + 1) << 12 |
                          low_bits(text, at + 2) << 6 | low_bits(text, at + 3);
    return code >= 0x10000 && code < 0x110000 ? Character{code, 4} : Character{0, 0};
  }
  return {0, 0};
}

bool category_between(char32_t code, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= first && category <= last;
}

}  // namespace

Character decode_multibyte(std::string_view text, size_t at) {
  const Character character = decode_strictly(text, at);
  if (character.size != 0) return character;
  return {0xdc00u + static_cast<unsigned char>(text[at]), 1};
}

Character decode_before(std::string_view text, size_t at) {
  size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && continues(text, begin)) --begin;
  const Character character = decode(text.substr(0, at), begin);
  if (begin + character.size == at) return character;
  return {0xdc00u + static_cast<unsigned char>(text[at - 1]), 1};
}

size_t find_invalid_utf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      uint64_t eight;
      std::memcpy(&eight, text.data() + at, 8);
      const uint64_t high = eight & 0x8080808080808080;
      static_assert(std::endian::native == std::endian::little);
      at += high == 0 ? 8 : static_cast<size_t>(std::countr_zero(high)) / 8;
      if (high == 0) continue;
    } else if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Character character = decode_strictly(text, at);
    if (character.size == 0) return at;
    at += character.size;
  }
  return std::string_view::npos;
}

bool is_wide_space(char32_t code) {
  if (code < 0x2000) return code == 0x85 || code == 0xa0 || code == 0x1680;
  return code <= 0x200a || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

bool is_number(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_punctuation(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_symbol(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    const Character character = decode_before(text, text.size());
    if (!is_space(character.code)) break;
    text.remove_suffix(character.size);
  }
  return text;
}

std::string_view strip(std::string_view text) {
  text = strip_right(text);
  while (!text.empty()) {
    const Character character = decode(text, 0);
    if (!is_space(character.code)) break;
    text.remove_prefix(character.size);
  }
  return text;
}

}  // namespace eatt::evaluation
