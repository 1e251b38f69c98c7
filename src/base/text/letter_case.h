#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eatt {

// Upper and lower case of UTF-8 words, independent of the locale. Bytes that are not UTF-8 are
// passed through.

// Appends `word` in lower case, as Perl's lc() does it: character by character, without regard to
// neighbours (a final sigma stays σ), and İ becomes i with a dot above.
void append_lower_case(std::string_view word, std::string& out);
std::string lower_case(std::string_view word);

// Appends `word` with its first character in upper case, always one character for one: ß becomes ẞ,
// and those without a single capital (ŉ, the ligature ﬁ) stay. Perl's uc(), and so Moses, would
// make them SS, ʼN and FI.
void append_capitalized(std::string_view word, std::string& out);

// False for "Word"; true for "word", "42" and "—", whose first character lower case leaves alone.
bool starts_in_lower_case(std::string_view word);

// Length in bytes of the Unicode white space character that `text` begins with; 0 if there is none.
size_t leading_space_bytes(std::string_view text);

}  // namespace eatt
