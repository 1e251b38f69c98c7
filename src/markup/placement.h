#pragma once

#include <vector>

#include "markup/alignment.h"
#include "markup/passage.h"

namespace eatt::markup {

// Where each node of a passage goes: tokens [begin, end) of the translation, or a place between two
// tokens if both are equal. Elements enclose what they enclosed before, siblings never overlap, and
// only siblings may change their order.
//   - An element, or a term of the glossary, gets the run of tokens that has the most tokens
//     aligned with its words and the fewest aligned with others.
//   - An element whose words nothing is aligned with gets the token that attends to them most, if
//     it does so with a probability of at least 0.2, or else encloses nothing.
//   - What has no words, or gets no token, stays next to the words around it: behind those that it
//     stood behind and before the others. Where they disagree, the nearest count most, and a word
//     that it was attached to without a space counts more than any.
//   - A term whose translation is already there, close by, gets these tokens.
std::vector<TextRange> place_nodes(const Passage& passage, const TokenAlignment& alignment,
                                   std::string_view translation);

}  // namespace eatt::markup
