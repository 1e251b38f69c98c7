#include "base/text/unicode.h"

#include <utf8proc.h>

#include "base/text/utf8.h"

namespace eatt {
namespace {

utf8proc_category_t category_of(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool category_between(char32_t code, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = category_of(code);
  return category >= first && category <= last;
}

}  // namespace

bool is_wide_space(char32_t code) {
  if (code < 0x2000) return code == 0x85 || code == 0xa0 || code == 0x1680;
  return code <= 0x200a || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}

bool is_letter(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_capital(char32_t code) {
  const utf8proc_category_t category = category_of(code);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

bool is_small_letter(char32_t code) { return category_of(code) == UTF8PROC_CATEGORY_LL; }

bool is_number(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_punctuation(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_symbol(char32_t code) {
  return category_between(code, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

bool is_control(char32_t code) {
  switch (category_of(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return false;
  }
}

bool is_space_separator(char32_t code) { return category_of(code) == UTF8PROC_CATEGORY_ZS; }

size_t leading_space_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return is_white_space(lead) ? 1 : 0;
  if (lead != 0xc2 && (lead < 0xe1 || lead > 0xe3)) return 0;  // No white space begins like this.
  const Utf8Character character = decode_utf8(text, 0);
  return is_white_space(character.code) ? character.size : 0;
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = decode_utf8_before(text, text.size());
    if (!is_python_space(character.code)) break;
    text.remove_suffix(character.size);
  }
  return text;
}

std::string_view strip(std::string_view text) {
  text = strip_right(text);
  while (!text.empty()) {
    const Utf8Character character = decode_utf8(text, 0);
    if (!is_python_space(character.code)) break;
    text.remove_prefix(character.size);
  }
  return text;
}

}  // namespace eatt
