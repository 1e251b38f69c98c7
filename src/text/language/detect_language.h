#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/language/language_profile.h"

namespace eatt {

struct LanguageGuess {
  std::string language;   // "und": none of the languages that there are profiles of.
  double confidence = 0;  // 0 to 1; those of all guesses add up to 1.
};

// Which of the profiles' languages a text is in, the most likely first, and with them "und", which
// wins for text of other scripts and without letters, and often, but not always, for other
// languages of the same script. Short text gives low confidence: a few letters are words of many
// languages. Profiles of one language count as one. docs/markup.md has the formula and measured
// accuracy.
std::vector<LanguageGuess> detect_language(std::string_view text,
                                           std::span<const LanguageProfile* const> profiles);

}  // namespace eatt
