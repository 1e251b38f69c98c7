#include "base/text/printable.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt {
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

}  // namespace eatt
