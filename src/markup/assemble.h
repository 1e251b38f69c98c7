#pragma once

#include <string>

#include "markup/passage.h"
#include "runtime/api/translator.h"

namespace eatt::markup {

// The translation of a passage with everything that stood in it. Without what is visible and the
// terms of the glossary, and without tags, it is the translation itself (escaped in HTML).
std::string assemble_passage(const Passage& passage, const Translation& translation, bool is_html);

}  // namespace eatt::markup
