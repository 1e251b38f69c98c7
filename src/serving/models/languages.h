#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt::serving {

// "German" of "de" and of "de-AT"; the code itself if it is not known.
std::string language_name(std::string_view code);

}  // namespace eatt::serving
