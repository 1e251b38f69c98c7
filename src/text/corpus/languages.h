#pragma once

#include <string>
#include <string_view>

#include "base/files/text_file.h"

namespace eatt {

// An unspecified language, in a bundle and in options: ISO 639's code for "undetermined".
inline constexpr std::string_view kUnknownLanguage = "und";

// "en" of train.en and of train.en.gz; empty if the name has no ending.
std::string ending_of(const TextFile& file);

// The ending if it is a language's code in ISO 639-1, perhaps with a region or script (zh-Hant,
// pt_BR becomes pt-BR); otherwise empty.
std::string language_of(const TextFile& file);

// The languages that a model or a training run translates between.
struct Direction {
  std::string source, target;  // Codes; empty or "und" if not known.
};

// Two parallel files and the option that named them.
struct NamedTexts {
  std::string_view option;  // "--valid-sets"
  TextFile source, target;
};

// Throws a UsageError if a file whose ending names a language is given for both sides; warns if it
// is another file.
void expect_two_files(const NamedTexts& texts);

// Compares the endings of two files with what `who` ("the model") translates. Throws a UsageError
// if the files are swapped, or if a file whose ending names a language is given for both sides;
// warns if an ending names another language.
void check_languages(const Direction& direction, std::string_view who, const NamedTexts& texts);

}  // namespace eatt
