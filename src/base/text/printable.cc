#include "base/text/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace eatt {
namespace {

constexpr size_t kLongest = 80;  // Bytes of a quoted text before it is cut.

uint8_t byte_at(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// Bytes of the UTF-8 character that starts `text` (not empty), or 0 if none does.
size_t utf8_length(std::string_view text) {
  const uint8_t first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  }
  const uint8_t second = byte_at(text, 1);
  if (first == 0xe0 && second < 0xa0) return 0;   // Overlong.
  if (first == 0xed && second >= 0xa0) return 0;  // Surrogate.
  if (first == 0xf0 && second < 0x90) return 0;   // Overlong.
  if (first == 0xf4 && second >= 0x90) return 0;  // Above U+10FFFF.
  return length;
}

// The code point of one UTF-8 character.
char32_t code_point(std::string_view character) {
  const uint8_t first = byte_at(character, 0);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7fu >> character.size());
  for (size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte_at(character, i) & 0x3fu);
  return code;
}

struct Range {
  char32_t first, last;
};

template <size_t size>
bool is_in(char32_t code, const Range (&ranges)[size]) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

bool is_control(std::string_view character) {
  static constexpr Range kControls[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},      // What terminals obey.
      {0x2028, 0x2029},                    // Line breaks.
      {0x061c, 0x061c}, {0x200e, 0x200f},  // Directional marks, embeddings,
      {0x202a, 0x202e}, {0x2066, 0x2069},  // overrides and isolates.
      {0x00ad, 0x00ad}, {0x180e, 0x180e},  // What is not to be seen.
      {0x200b, 0x200d}, {0x2060, 0x2065},  //
      {0x206a, 0x206f}, {0xfeff, 0xfeff},  //
      {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return is_in(code_point(character), kControls);
}

bool is_space(std::string_view character) {
  static constexpr Range kSpaces[] = {{0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680},
                                      {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f},
                                      {0x3000, 0x3000}};
  return is_in(code_point(character), kSpaces);
}

// Takes the character that `text` (not empty) begins with, or one byte if that is not UTF-8.
struct Taken {
  std::string_view bytes;
  bool is_utf8 = false;
};
Taken take_character(std::string_view& text) {
  const size_t length = utf8_length(text);
  const std::string_view bytes = text.substr(0, length == 0 ? 1 : length);
  text.remove_prefix(bytes.size());
  return {bytes, length > 0};
}

void append_printable(const Taken& character, std::string& shown) {
  if (character.is_utf8 && !is_control(character.bytes)) {
    shown += character.bytes;
    return;
  }
  for (const char byte : character.bytes) {
    fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<uint8_t>(byte));
  }
}

}  // namespace

size_t first_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

bool has_control_characters(std::string_view text) {
  while (!text.empty()) {
    if (const Taken next = take_character(text); next.is_utf8 && is_control(next.bytes))
      return true;
  }
  return false;
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    if (const Taken next = take_character(text); !next.is_utf8 || !is_space(next.bytes)) {
      return false;
    }
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) append_printable(take_character(text), shown);
  return shown;
}

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  while (!text.empty()) {
    if (shown.size() > kLongest) {
      shown += "…";
      break;
    }
    append_printable(take_character(text), shown);
  }
  return shown + "'";
}

}  // namespace eatt
