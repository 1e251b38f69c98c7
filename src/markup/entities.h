#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace eatt::markup {

// A character reference of HTML: &amp; &#38; &#x26; and, as browsers read them too, &copy 2020.
struct Reference {
  size_t bytes = 0;  // Of the reference.
  std::string text;  // The character; empty if we do not know this one.
};

// The reference that the text begins with; it begins with '&'. Nothing if there is none: then the
// sign stands for itself. Without a semicolon, numbers and the names of the first versions of HTML
// are references: the longest name counts, so that "&copyright" is a sign before "right".
std::optional<Reference> read_reference(std::string_view text);

// The text with & < > as references.
std::string escape_text(std::string_view text);

}  // namespace eatt::markup
