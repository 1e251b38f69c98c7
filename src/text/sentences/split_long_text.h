#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "text/sentences/sentences.h"

namespace eatt {

using CountPieces = std::function<size_t(std::string_view)>;

// A text in parts of at most `most` pieces each, in order, without the white space between them;
// nothing else is left out. A text that fits is a single part. A longer one is split
//   1. into sentences, as `splitter` finds them;
//   2. a sentence that does not fit: after any . ! ? ; … with quotes and brackets that close behind
//      them, where white space follows, but not after a single letter and a point; after 。！？；
//      and their like whatever follows;
//   3. what still does not fit: after , : and dashes where white space follows, after ，、：
//      whatever follows; neighbouring clauses stay together as far as they fit;
//   4. a clause that does not fit: at white space, into parts of similar size;
//   5. a word that does not fit: between characters, not before a combining mark.
// `text` is valid UTF-8. The work grows with its length only. Throws an Error if a single character
// takes more than `most` pieces.
std::vector<std::string_view> split_long_text(std::string_view text, size_t most,
                                              const CountPieces& count,
                                              const SentenceSplitter& splitter);

}  // namespace eatt
