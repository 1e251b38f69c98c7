#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eatt::cli {

// The candidate that was probably meant: the nearest by at most two wrong, missing, superfluous or
// swapped characters, or one that begins with what was typed, has it as a word (--threads and
// --cpu-threads), or is its beginning (--cross-attention and --cross). Empty if none is near.
std::string nearest_name(std::string_view typed, std::span<const std::string> candidates);

// " (did you mean --beam-size?)" for the end of a message, or nothing.
std::string did_you_mean(std::string_view suggestion);

}  // namespace eatt::cli
