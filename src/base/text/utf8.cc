#include "base/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>

#include "base/files/text_check.h"
#include "base/text/unicode.h"

namespace eatt {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

uint64_t load_eight(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The length of the well-formed character of two bytes or more at `at`, 0 if there is none. The
// range of the second byte depends on the first: this excludes overlong forms, surrogates and
// everything above U+10FFFF.
size_t multibyte_length(const unsigned char* at, size_t left) {
  const unsigned char lead = at[0];
  if (lead < 0xc2 || lead > 0xf4 || left < 2) return 0;
  if (lead < 0xe0) return is_continuation(at[1]) ? 2 : 0;
  if (left < 3 || !is_continuation(at[2])) return 0;
  if (lead < 0xf0) {
    const unsigned char low = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : 0xbf;
    return at[1] >= low && at[1] <= high ? 3 : 0;
  }
  if (left < 4 || !is_continuation(at[3])) return 0;
  const unsigned char low = lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xf4 ? 0x8f : 0xbf;
  return at[1] >= low && at[1] <= high ? 4 : 0;
}

size_t multibyte_length(std::string_view text, size_t at) {
  return multibyte_length(reinterpret_cast<const unsigned char*>(text.data()) + at,
                          text.size() - at);
}

Utf8Character lone_byte(char byte) { return {0xdc00u + static_cast<unsigned char>(byte), 1}; }

}  // namespace

size_t first_invalid_utf8(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  while (at < end) {
    if (end - at >= 16 && ((load_eight(at) | load_eight(at + 8)) & kHighBits) == 0) {
      at += 16;
      continue;
    }
    // Everything before `at` is checked. Check one block character by character, then try the fast
    // way again.
    const char* const stop = end - at > 16 ? at + 16 : end;
    while (at < stop) {
      if (static_cast<unsigned char>(*at) < 0x80) {
        ++at;
        continue;
      }
      const size_t length = multibyte_length(text, static_cast<size_t>(at - begin));
      if (length == 0) return static_cast<size_t>(at - begin);
      at += length;
    }
  }
  return std::string_view::npos;
}

Utf8Character decode_multibyte_utf8(std::string_view text, size_t at) {
  const size_t length = multibyte_length(text, at);
  if (length == 0) return lone_byte(text[at]);
  return {utf8_front(text.substr(at)), static_cast<uint32_t>(length)};
}

Utf8Character decode_utf8_before(std::string_view text, size_t at) {
  size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && is_continuation(static_cast<unsigned char>(text[begin]))) {
    --begin;
  }
  const Utf8Character character = decode_utf8(text.substr(0, at), begin);
  return begin + character.size == at ? character : lone_byte(text[at - 1]);
}

char32_t utf8_front(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<char32_t>(text[i] & 0x3f); };
  const auto lead = static_cast<unsigned char>(text[0]);
  switch (utf8_length(text[0])) {
    case 1:
      return lead;
    case 2:
      return static_cast<char32_t>(lead & 0x1f) << 6 | byte(1);
    case 3:
      return static_cast<char32_t>(lead & 0x0f) << 12 | byte(1) << 6 | byte(2);
    default:
      return static_cast<char32_t>(lead & 0x07) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3);
  }
}

void append_utf8(char32_t character, std::string& text) {
  const auto lead = [&](char32_t bits) { text += static_cast<char>(bits); };
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80 | (character >> shift & 0x3f));
  };
  if (character < 0x80) return lead(character);
  if (character < 0x800) {
    lead(0xc0 | character >> 6);
  } else if (character < 0x10000) {
    lead(0xe0 | character >> 12);
    tail(6);
  } else {
    lead(0xf0 | character >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
}

std::string replace_invalid_utf8(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    result += character.is_valid() ? text.substr(at, character.size) : kReplacement;
    at += character.size;
  }
  return result;
}

namespace {

constexpr size_t kLongest = 80;  // Bytes of a quoted text before it is cut.

void append_printable(Utf8Character character, std::string_view bytes, std::string& shown) {
  if (character.is_valid() && !is_control(character.code)) {
    shown += bytes;
    return;
  }
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<uint8_t>(byte));
  }
}

// Appends the printable form of `text` until `shown` has more than `most` bytes; false if that cut
// the text.
bool append_printable(std::string_view text, size_t most, std::string& shown) {
  for (size_t at = 0; at < text.size();) {
    if (shown.size() > most) return false;
    const Utf8Character character = decode_utf8(text, at);
    append_printable(character, text.substr(at, character.size), shown);
    at += character.size;
  }
  return true;
}

template <typename Predicate>
bool any_character(std::string_view text, const Predicate& predicate) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (predicate(character.code)) return true;
    at += character.size;
  }
  return false;
}

}  // namespace

bool has_control_characters(std::string_view text) { return any_character(text, is_control); }

bool is_blank(std::string_view text) {
  return !any_character(text, [](char32_t code) { return !is_space_separator(code); });
}

std::string printable(std::string_view text) {
  std::string shown;
  append_printable(text, SIZE_MAX, shown);
  return shown;
}

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  const bool complete = append_printable(text, kLongest, shown);
  return shown + (complete ? "'" : "…'");
}

std::string shell_quoted(const std::string& name) {
  constexpr std::string_view kPlain = "/._-+,:@%=";
  const auto is_plain = [&](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || kPlain.find(static_cast<char>(c)) != kPlain.npos;
  };
  if (!name.empty() && name.front() != '-' && std::ranges::all_of(name, is_plain)) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

bool is_utf16(std::string_view text) {
  constexpr size_t kEnoughForALineEnd = 1000;  // Which has a NUL byte, whatever the script.
  const bool has_mark = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  return has_mark && text.substr(0, kEnoughForALineEnd).find('\0') != text.npos;
}

std::string conversion_advice(const std::string& name, std::string_view text) {
  const bool utf16 = is_utf16(text);
  if (!utf16 && text.find('\0') != text.npos) return "it looks like a binary file, not like text";
  const char* const encoding = utf16 ? "utf-16" : "latin1";
  const char* const doubt = utf16 ? "" : " (if it is Latin-1)";
  return fmt::format("convert it with {}{}", conversion_command(name, encoding), doubt);
}

}  // namespace eatt
