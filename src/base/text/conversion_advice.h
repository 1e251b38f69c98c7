#pragma once

#include <string>
#include <string_view>

namespace eatt {

// A file's name as it is typed in a shell: in single quotes where it needs them.
std::string shell_quoted(const std::string& name);

// How to convert a file to UTF-8, for messages about invalid bytes; works as typed:
//   "convert it with `iconv -f latin1 -t utf-8 test.de > test.utf8.de` (if it is Latin-1)"
// `name` is the file's name or "standard input"; `text` its beginning, or the line that has such
// bytes: UTF-16 is told by its byte order mark, and what has NUL bytes is no text at all.
std::string conversion_advice(const std::string& name, std::string_view text);

// Whether a file that begins like this is UTF-16: a byte order mark, and NUL bytes soon after.
bool is_utf16(std::string_view text);

}  // namespace eatt
