#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/translator.h"

namespace eatt::markup {

// A translation whose words, separated by white space, attend to one source word each: to
// source_of[i], or to the end marker if that is −1. A word is a piece, but punctuation marks at its
// end are pieces of their own, aligned with the last source mark.
Translation aligned_translation(std::string_view source, std::string_view target,
                                const std::vector<int>& source_of);

// The same words in the same order.
Translation echo(std::string_view source);

}  // namespace eatt::markup
