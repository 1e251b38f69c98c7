#pragma once

#include <string>

namespace eatt {

// A file's name as it is typed in a shell: in single quotes where it needs them.
std::string shell_quoted(const std::string& name);

// How to make UTF-8 of a file, for messages about bytes that are none; works as typed:
//   "convert it with `iconv -f latin1 -t utf-8 test.de > test.utf8.de` (if it is Latin-1)"
// `name` is the file's name or "standard input".
std::string conversion_advice(const std::string& name);

}  // namespace eatt
