#include "evaluation/lowercase.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "evaluation/unicode.h"

namespace eatt::evaluation {
namespace {

constexpr char32_t kCapitalDottedI = 0x130;
constexpr char32_t kCapitalSigma = 0x3a3;
constexpr char32_t kSmallSigma = 0x3c3;
constexpr char32_t kFinalSigma = 0x3c2;

utf8proc_int32_t to_utf8proc(char32_t code) { return static_cast<utf8proc_int32_t>(code); }

// Unicode's Case_Ignorable: marks, format characters, modifiers, and the punctuation that may stand
// inside a word.
bool is_case_ignorable(char32_t code) {
  static constexpr char32_t kInsideWords[] = {0x27,   0x2e,   0x3a,   0xb7,   0x387,  0x55f,
                                              0x5f4,  0x2018, 0x2019, 0x2024, 0x2027, 0xfe13,
                                              0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};
  switch (utf8proc_category(to_utf8proc(code))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::binary_search(std::begin(kInsideWords), std::end(kInsideWords), code);
  }
}

// Unicode's Cased, for characters that are not case-ignorable.
bool is_cased(char32_t code) {
  switch (utf8proc_category(to_utf8proc(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      break;
  }
  const auto between = [code](char32_t first, char32_t last) {
    return code >= first && code <= last;
  };
  const bool ordinal_indicator = code == 0xaa || code == 0xba;
  const bool roman_numeral = between(0x2160, 0x217f);
  const bool circled = between(0x24b6, 0x24e9) || between(0x1f150, 0x1f169);
  const bool squared = between(0x1f130, 0x1f149) || between(0x1f170, 0x1f189);
  return ordinal_indicator || roman_numeral || circled || squared;
}

// Each run of case-ignorable characters is looked at from its two ends at most, so lower-casing
// stays linear in the length of the text.
bool cased_follows(std::string_view text, size_t at) {
  while (at < text.size()) {
    const Character character = decode(text, at);
    if (!is_case_ignorable(character.code)) return is_cased(character.code);
    at += character.size;
  }
  return false;
}

bool cased_precedes(std::string_view text, size_t at) {
  while (at > 0) {
    const Character character = decode_before(text, at);
    if (!is_case_ignorable(character.code)) return is_cased(character.code);
    at -= character.size;
  }
  return false;
}

void append_utf8(char32_t code, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(to_utf8proc(code), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

char lower_ascii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

void append_lower_character(std::string_view text, size_t at, Character character,
                            std::string& out) {
  if (character.code == kCapitalSigma) {
    const bool ends_word = cased_precedes(text, at) && !cased_follows(text, at + character.size);
    append_utf8(ends_word ? kFinalSigma : kSmallSigma, out);
  } else if (character.code == kCapitalDottedI) {
    out += "i\u0307";
  } else {
    const utf8proc_int32_t lower = utf8proc_tolower(to_utf8proc(character.code));
    if (lower == to_utf8proc(character.code)) {
      out += text.substr(at, character.size);
    } else {
      append_utf8(static_cast<char32_t>(lower), out);
    }
  }
}

}  // namespace

void append_lowercase(std::string_view text, std::string& out) {
  out.reserve(out.size() + text.size());
  size_t at = 0;
  while (at < text.size()) {
    const Character character = decode(text, at);
    if (character.size == 1 && character.code < 0x80) {
      out += lower_ascii(text[at]);
    } else {
      append_lower_character(text, at, character, out);
    }
    at += character.size;
  }
}

}  // namespace eatt::evaluation
