#pragma once

#include <string>
#include <string_view>

#include "base/files/byte_source.h"

namespace eatt {

// A language that nobody named, in a bundle and in options: ISO 639's code for "undetermined".
inline constexpr std::string_view kUnknownLanguage = "und";

// "en" of train.en and of train.en.gz; empty if the name has no ending.
std::string ending_of(const TextFile& file);

// The ending if it is a language's code in ISO 639-1, perhaps with a region or script (zh-Hant,
// pt_BR becomes pt-BR); otherwise empty.
std::string language_of(const TextFile& file);

}  // namespace eatt
