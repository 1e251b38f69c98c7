#include "base/text/letter_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr char32_t kCapitalDottedI = 0x130;  // İ
constexpr char32_t kCapitalSigma = 0x3a3;    // Σ
constexpr char32_t kSmallSigma = 0x3c3;      // σ
constexpr char32_t kFinalSigma = 0x3c2;      // ς

utf8proc_int32_t to_utf8proc(char32_t code) { return static_cast<utf8proc_int32_t>(code); }

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

char lower_ascii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

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
    const Utf8Character character = decode_utf8(text, at);
    if (!is_case_ignorable(character.code)) return is_cased(character.code);
    at += character.size;
  }
  return false;
}

bool cased_precedes(std::string_view text, size_t at) {
  while (at > 0) {
    const Utf8Character character = decode_utf8_before(text, at);
    if (!is_case_ignorable(character.code)) return is_cased(character.code);
    at -= character.size;
  }
  return false;
}

// Appends `code` in place of the character `old`, whose bytes in the text are `bytes`.
void append_changed(char32_t old, std::string_view bytes, char32_t code, std::string& out) {
  if (code == old) {
    out += bytes;  // Invalid bytes too.
  } else {
    append_utf8(code, out);
  }
}

// Appends the text in lower case; sigma(at, size) tells the small form of the Σ at byte `at`.
template <typename Sigma>
void append_lower(std::string_view text, const Sigma& sigma, std::string& out) {
  out.reserve(out.size() + text.size());
  for (size_t at = 0; at < text.size();) {
    if (is_ascii(text[at])) {
      out += lower_ascii(text[at++]);
      continue;
    }
    const Utf8Character character = decode_utf8(text, at);
    if (character.code == kCapitalDottedI) {
      out += "i\u0307";
    } else if (character.code == kCapitalSigma) {
      append_utf8(sigma(at, character.size), out);
    } else {
      append_changed(character.code, text.substr(at, character.size),
                     static_cast<char32_t>(utf8proc_tolower(to_utf8proc(character.code))), out);
    }
    at += character.size;
  }
}

}  // namespace

void append_lower_case(std::string_view word, std::string& out) {
  append_lower(
      word, [](size_t, size_t) { return kSmallSigma; }, out);
}

std::string lower_case(std::string_view word) {
  std::string lower;
  append_lower_case(word, lower);
  return lower;
}

void append_python_lower_case(std::string_view text, std::string& out) {
  const auto sigma = [text](size_t at, size_t size) {
    const bool ends_word = cased_precedes(text, at) && !cased_follows(text, at + size);
    return ends_word ? kFinalSigma : kSmallSigma;
  };
  append_lower(text, sigma, out);
}

void append_capitalized(std::string_view word, std::string& out) {
  if (word.empty()) return;
  const Utf8Character first = decode_utf8(word, 0);
  append_changed(first.code, word.substr(0, first.size),
                 static_cast<char32_t>(utf8proc_toupper(to_utf8proc(first.code))), out);
  out += word.substr(first.size);
}

bool starts_in_lower_case(std::string_view word) {
  if (word.empty()) return true;
  const std::string_view first = word.substr(0, decode_utf8(word, 0).size);
  return lower_case(first) == first;
}

}  // namespace eatt
