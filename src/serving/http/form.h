#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::serving {

// A field of a form, or a file that was uploaded with it.
struct FormField {
  std::string name;
  std::string value;
  std::string file_name = {};  // Empty if it is no file.
};

// "%41+b" becomes "A b" with `plus_is_space`; nothing if a % is not followed by two digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

// Both give nothing if the body is malformed.

// application/x-www-form-urlencoded: "q=Hallo+Welt&target=en".
std::optional<std::vector<FormField>> parse_form(std::string_view body);

// multipart/form-data; `content_type` names the boundary.
std::optional<std::vector<FormField>> parse_multipart(std::string_view body,
                                                      std::string_view content_type);

// "text/html" of "Text/HTML; charset=utf-8".
std::string media_type(std::string_view content_type);

}  // namespace eatt::serving
