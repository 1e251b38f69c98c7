#pragma once

#include <string_view>
#include <vector>

#include "text/sentences/sentences.h"

namespace eatt::markup {

// The parts of a text that are the same in every language, in order, without overlap:
//   addresses    https://example.org/a?b=1, www.example.org, mailto:me@example.org, me@example.org
//   variables    {name}, {{name}}, {0,number}, ${name}, $(name), %{name}, %(name)s, %name%
//   formats      %s, %d, %1$s, %-5.2f, %@, %lu; not "50 % of"
//   tags         <x id="1"/>, in text that is not HTML
//   code         `between back-ticks`
// A stop, comma or bracket that ends a sentence behind an address is no part of it. The work grows
// with the length of the text only.
std::vector<TextRange> find_placeholders(std::string_view text);

}  // namespace eatt::markup
