#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/pieces/pieces.h"

namespace eatt {

// Words here are what white space separates, the ASCII characters of that name: the tokens of the
// usual tools for alignments, whatever a piece model makes of other spaces.

size_t count_words(std::string_view text);
std::vector<std::string_view> split_words(std::string_view text);

// Of each piece of decoded text the number of its word; a piece that is nothing but space belongs
// to the word behind it. −1 where there is no word at all.
std::vector<int32_t> words_of_pieces(std::span<const int32_t> ids, const Pieces& pieces);

// The same of text that was encoded: numbers of words of the text as it was given, also where
// normalisation took characters away or made spaces of them.
std::vector<int32_t> words_of_text(std::string_view text, std::span<const int32_t> ids,
                                   const Pieces& pieces);

}  // namespace eatt
