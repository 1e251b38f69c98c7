#pragma once

#include <string>
#include <string_view>

namespace eatt {

// Upper and lower case of UTF-8 text, independent of the locale. Bytes that are not UTF-8 are
// passed through. İ (U+0130) becomes two characters, i and a dot above.

// Appends `word` in lower case as Perl's lc() does: character by character, without regard to
// its neighbours (a final sigma stays σ).
void append_lower_case(std::string_view word, std::string& out);
std::string lower_case(std::string_view word);

// Appends `text` in lower case as Python's str.lower does: a capital sigma at the end of a word
// becomes ς. Published lower-cased scores were computed with it.
void append_python_lower_case(std::string_view text, std::string& out);

// Appends `word` with its first character in upper case, always one character for one: ß becomes ẞ,
// and those without a single capital (ŉ, the ligature ﬁ) stay. Perl's uc(), and so Moses, would
// make them SS, ʼN and FI.
void append_capitalized(std::string_view word, std::string& out);

// False for "Word"; true for "word", "42" and "—", whose first character does not change in lower
// case.
bool starts_in_lower_case(std::string_view word);

}  // namespace eatt
