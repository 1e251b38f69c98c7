#include "base/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

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

namespace {

constexpr char32_t kCapitalDottedI = 0x130;  // İ
constexpr char32_t kCapitalSigma = 0x3a3;    // Σ
constexpr char32_t kSmallSigma = 0x3c3;      // σ
constexpr char32_t kFinalSigma = 0x3c2;      // ς

utf8proc_int32_t to_utf8proc(char32_t code) { return static_cast<utf8proc_int32_t>(code); }

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

char lower_byte(char byte) {
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
      out += lower_byte(text[at++]);
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

std::string lower_ascii(std::string_view text) {
  std::string result(text);
  for (char& byte : result) byte = lower_byte(byte);
  return result;
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

namespace {

struct Range {
  char32_t first;
  char32_t last;
  Script script;
};

// Scripts that have several blocks, in order; all others are identified by their block alone.
constexpr std::array kRanges = {
    Range{0x0041, 0x02af, Script::latin},        Range{0x0370, 0x03ff, Script::greek},
    Range{0x0400, 0x052f, Script::cyrillic},     Range{0x0530, 0x058f, Script::armenian},
    Range{0x0590, 0x05ff, Script::hebrew},       Range{0x0600, 0x06ff, Script::arabic},
    Range{0x0750, 0x077f, Script::arabic},       Range{0x0870, 0x08ff, Script::arabic},
    Range{0x1100, 0x11ff, Script::hangul},       Range{0x1c80, 0x1c8f, Script::cyrillic},
    Range{0x1d00, 0x1dbf, Script::latin},        Range{0x1e00, 0x1eff, Script::latin},
    Range{0x1f00, 0x1fff, Script::greek},        Range{0x2c60, 0x2c7f, Script::latin},
    Range{0x2de0, 0x2dff, Script::cyrillic},     Range{0x2e80, 0x312f, Script::east_asian},
    Range{0x3130, 0x318f, Script::hangul},       Range{0x3190, 0x9fff, Script::east_asian},
    Range{0xa640, 0xa69f, Script::cyrillic},     Range{0xa720, 0xa7ff, Script::latin},
    Range{0xa960, 0xa97f, Script::hangul},       Range{0xab30, 0xab6f, Script::latin},
    Range{0xac00, 0xd7ff, Script::hangul},       Range{0xf900, 0xfaff, Script::east_asian},
    Range{0xfb00, 0xfb06, Script::latin},        Range{0xfb13, 0xfb17, Script::armenian},
    Range{0xfb1d, 0xfb4f, Script::hebrew},       Range{0xfb50, 0xfdff, Script::arabic},
    Range{0xfe70, 0xfeff, Script::arabic},       Range{0xff21, 0xff5a, Script::latin},
    Range{0xff66, 0xff9d, Script::east_asian},   Range{0xffa0, 0xffdc, Script::hangul},
    Range{0x1aff0, 0x1b16f, Script::east_asian}, Range{0x20000, 0x3ffff, Script::east_asian},
};

}  // namespace

Script script_of(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Script::any;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      break;
    default:
      return Script::common;
  }
  const auto* range = std::ranges::lower_bound(kRanges, character, {}, &Range::last);
  if (range != kRanges.end() && range->first <= character) return range->script;
  return static_cast<Script>(static_cast<uint32_t>(Script::first_block) + character / 128);
}

}  // namespace eatt
