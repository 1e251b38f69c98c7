#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "markup/passage.h"

namespace eatt::markup {

// A document without its translatable texts: what is kept, with a passage behind each part of it
// but the last.
struct Skeleton {
  std::vector<std::string> kept = {""};
  std::vector<Passage> passages;
  size_t term_bytes = 0;  // Of the translations of all terms.

  void keep(std::string_view bytes) { kept.back() += bytes; }

  // Adds a text: its passage, between the white space at the ends of its bytes; or only its bytes,
  // if it has no letter to translate. A text that is a term of the glossary is translated at once.
  void add_text(std::string_view raw, Passage passage, const PassageRules& rules);
};

// Plain text, in which each line is a text.
Skeleton read_text(std::string_view text, const PassageRules& rules);

// HTML, in which blocks and double line breaks separate texts. docs/markup.md has the rules.
Skeleton read_html(std::string_view html, const PassageRules& rules);

}  // namespace eatt::markup
