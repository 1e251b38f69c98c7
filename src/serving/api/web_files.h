#pragma once

#include <span>
#include <string_view>

namespace eatt::serving {

// The files of web/ and openapi.json, built into the program: see embed.cmake.
struct WebFile {
  std::string_view path;  // "/index.html"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view etag;  // In quotes.
  std::string_view bytes;
};
std::span<const WebFile> web_files();

}  // namespace eatt::serving
