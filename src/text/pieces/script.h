#pragma once

#include <cstdint>

namespace eatt {

// The writing system of a character, roughly: enough to tell whether two letters belong to
// different scripts. Han, Hiragana and Katakana count as one, since Japanese mixes them within
// words.
enum class Script : uint32_t {
  any,     // Combining marks: they belong to the character before.
  common,  // Digits, punctuation, symbols.
  latin,
  greek,
  cyrillic,
  armenian,
  hebrew,
  arabic,
  hangul,
  east_asian,
  first_block = 0x100,  // Others: this plus the number of a block of 128 code points.
};

Script script_of(char32_t character);

}  // namespace eatt
