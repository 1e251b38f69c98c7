#pragma once

#include <string>
#include <string_view>

namespace eatt::evaluation {

// Appends `text` in lower case as Python's str.lower does, which is what published lower-cased
// scores were computed with: U+0130 (I with dot) becomes two characters, and a capital sigma
// becomes the final form at the end of a word.
void append_lowercase(std::string_view text, std::string& out);

}  // namespace eatt::evaluation
