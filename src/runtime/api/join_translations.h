#pragma once

#include <cstddef>
#include <span>

#include "runtime/api/translator.h"

namespace eatt {

// A part of a text that was too long, translated.
struct TranslatedPart {
  Translation translation;
  size_t first_word = 0;  // The white-space word of the whole text in which it begins.
};

// The translation of the whole: the best hypotheses of the parts are joined to one, the second best
// to the next, and so on (a part that has fewer gives its last). Texts are joined with a space,
// none after Chinese and Japanese. Scores and log-probabilities are added up.
Translation join_translations(std::span<TranslatedPart> parts);

}  // namespace eatt
