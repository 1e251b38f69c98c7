#pragma once

#include <string>
#include <string_view>

namespace eatt {

// Files that are given as text but are something else, recognized by how they begin. An Error says
// what the file is and which command makes text of it. `name` is the file's name or "standard
// input".

// Throws an Error for compressed files and other formats that are known by their first bytes. Gzip
// is not among them: it is read.
void refuse_archive(const std::string& name, std::string_view beginning);
// Whether more bytes could make it one of these.
bool may_become_archive(std::string_view beginning);

// Throws an Error for what is certainly not text in UTF-8: binary files, UTF-16 with or without a
// byte order mark, text of which a quarter is invalid, and text whose lines end with CR alone. Text
// with a few invalid or NUL bytes is left to the caller.
void expect_text(const std::string& name, std::string_view beginning);

// How to convert a file to UTF-8, as it is typed in a shell; gzip is unpacked on the way.
std::string conversion_command(const std::string& name, std::string_view encoding);

}  // namespace eatt
