#pragma once

#include <cstdint>

namespace eatt {

// The writing system of a character, coarsely: letters have one, and so two letters can be told to
// be of different scripts. Han, Hiragana and Katakana count as one, as Japanese mixes them in
// words.
enum class Script : uint32_t {
  any,     // Combining marks: part of whatever they follow.
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
