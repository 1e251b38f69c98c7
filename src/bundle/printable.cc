#include "bundle/printable.h"

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

bool is_control(std::string_view character) {
  const uint8_t first = byte_at(character, 0);
  return first < 0x20 || first == 0x7f ||
         (first == 0xc2 && byte_at(character, 1) < 0xa0);  // U+0080 to U+009F
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
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text.substr(i, 2))) return true;
  }
  return false;
}

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  while (!text.empty()) {
    if (shown.size() > kLongest) {
      shown += "…";
      break;
    }
    const size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(character)) {
      for (const char byte : character)
        fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<uint8_t>(byte));
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown + "'";
}

}  // namespace eatt
